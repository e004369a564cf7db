package io.fila.listener;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.fila.declaration.AttributeExpressions;
import io.fila.declaration.ThrottleDefinitions;
import io.fila.declaration.ThrottleResolver;
import io.fila.template.PayloadConverter;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.core.MethodIntrospector;
import org.springframework.core.MethodIntrospector.MetadataLookup;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.AnnotationUtils;
import org.springframework.validation.Validator;

/**
 * Finds {@link FilaListener} methods and registers their endpoints once all singletons exist, so that looking for listeners creates
 * no bean too early.
 */
public final class FilaListenerAnnotationBeanPostProcessor
        implements BeanPostProcessor, BeanFactoryAware, SmartInitializingSingleton {

    /** Name of the {@link FilaListenerContainerFactory} bean for listeners that name none. */
    public static final String DEFAULT_FACTORY = "filaListenerContainerFactory";

    private final List<Found> waiting = new ArrayList<>();
    private @Nullable ConfigurableBeanFactory beans;
    private @Nullable AnnotatedEndpoints endpoints;

    @Override
    public void setBeanFactory(BeanFactory beanFactory) {
        this.beans = (ConfigurableBeanFactory) beanFactory;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        Class<?> type = AopUtils.getTargetClass(bean);
        if (AnnotationUtils.isCandidateClass(type, FilaListener.class)) {
            MetadataLookup<FilaListener> lookup =
                    method -> AnnotatedElementUtils.findMergedAnnotation(method, FilaListener.class);
            Map<Method, FilaListener> methods = MethodIntrospector.selectMethods(type, lookup);
            methods.forEach((method, listener) -> found(new Found(beanName, bean, method, listener)));
        }
        return bean;
    }

    private synchronized void found(Found listener) {
        if (endpoints == null) {
            waiting.add(listener);
        } else {
            register(listener, endpoints);
        }
    }

    @Override
    public synchronized void afterSingletonsInstantiated() {
        AnnotatedEndpoints ready = annotatedEndpoints();
        endpoints = ready;
        waiting.forEach(listener -> register(listener, ready));
        waiting.clear();
    }

    private AnnotatedEndpoints annotatedEndpoints() {
        ConfigurableBeanFactory factory = requireBeans();
        AttributeExpressions expressions = new AttributeExpressions(factory);
        return new AnnotatedEndpoints(
                factory,
                expressions,
                new ThrottleResolver(expressions, factory.getBean(ThrottleDefinitions.class)),
                new ListenerMethodFactory(
                        factory.getBean(PayloadConverter.class),
                        factory.getBeanProvider(Validator.class).getIfUnique(),
                        factory));
    }

    private void register(Found found, AnnotatedEndpoints ready) {
        requireBeans()
                .getBean(FilaListenerEndpointRegistry.class)
                .register(
                        ready.endpoint(found.beanName, found.bean, found.method, found.listener),
                        ready.containerFactory(found.listener));
    }

    private ConfigurableBeanFactory requireBeans() {
        if (beans == null) {
            throw new IllegalStateException("setBeanFactory has not been called");
        }
        return beans;
    }

    private record Found(String beanName, Object bean, Method method, FilaListener listener) {}
}
