package io.fila.listener;

import java.lang.reflect.Method;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;

import io.fila.client.SubscriptionSpec;
import io.fila.declaration.AttributeExpressions;
import io.fila.declaration.InvalidDeclarationException;
import io.fila.declaration.Names;
import io.fila.declaration.ThrottleResolver;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.NoSuchBeanDefinitionException;
import org.springframework.messaging.handler.annotation.support.MessageHandlerMethodFactory;

/** Makes endpoints of annotated methods. Complaints name the method. */
final class AnnotatedEndpoints {

    private final BeanFactory beans;
    private final AttributeExpressions expressions;
    private final ThrottleResolver throttles;
    private final MessageHandlerMethodFactory methods;

    AnnotatedEndpoints(
            BeanFactory beans,
            AttributeExpressions expressions,
            ThrottleResolver throttles,
            MessageHandlerMethodFactory methods) {
        this.beans = beans;
        this.expressions = expressions;
        this.throttles = throttles;
        this.methods = methods;
    }

    FilaListenerEndpoint endpoint(String beanName, Object bean, Method method, FilaListener listener) {
        String place = "listener " + method.getDeclaringClass().getSimpleName() + "." + method.getName();
        refuseAsynchronous(method, place);
        try {
            String queue = Names.check("queue", expressions.text(listener.queue()));
            String id = id(beanName, method, listener);
            Method callable = AopUtils.selectInvocableMethod(method, bean.getClass());
            FilaMessageHandler handler = new HandlerAdapter(methods.createInvocableHandlerMethod(bean, callable));
            FilaListenerErrorHandler errors = bean(listener.errorHandler(), FilaListenerErrorHandler.class);
            return new FilaListenerEndpoint(
                    id,
                    new SubscriptionSpec(queue, id, throttles.resolve(method)),
                    errors == null ? handler : handler.withErrorHandler(errors),
                    listener.ackMode(),
                    concurrency(listener),
                    autoStartup(listener));
        } catch (InvalidDeclarationException e) {
            throw e.at(place);
        }
    }

    FilaListenerContainerFactory containerFactory(FilaListener listener) {
        FilaListenerContainerFactory named = bean(listener.containerFactory(), FilaListenerContainerFactory.class);
        return named != null
                ? named
                : beans.getBean(
                        FilaListenerAnnotationBeanPostProcessor.DEFAULT_FACTORY, FilaListenerContainerFactory.class);
    }

    /** The return value acknowledges, so a method that goes on after it has returned would lose messages. */
    private static void refuseAsynchronous(Method method, String place) {
        Class<?> type = method.getReturnType();
        if (CompletionStage.class.isAssignableFrom(type)
                || Future.class.isAssignableFrom(type)
                || type.getName().startsWith("reactor.")) {
            throw new InvalidDeclarationException(
                    place + " returns a " + type.getSimpleName() + ", but its message is acknowledged when it returns",
                    "wait for the result in the method, or use AckMode.MANUAL with an Acknowledgement and return void");
        }
    }

    private String id(String beanName, Method method, FilaListener listener) {
        String given = expressions.text(listener.id());
        if (!given.isEmpty()) {
            return Names.check("listener", given);
        }
        String name = (beanName + "." + method.getName()).replaceAll("[^A-Za-z0-9._-]", "-");
        return name.substring(Math.max(0, name.length() - 200)).replaceFirst("^[^A-Za-z0-9]+", "");
    }

    private @Nullable Integer concurrency(FilaListener listener) {
        String text = expressions.text(listener.concurrency());
        try {
            return text.isEmpty() ? null : Integer.valueOf(text);
        } catch (NumberFormatException e) {
            throw new InvalidDeclarationException(
                    "concurrency '" + text + "' is not a number", "give the number of messages to handle at once");
        }
    }

    private @Nullable Boolean autoStartup(FilaListener listener) {
        String text = expressions.text(listener.autoStartup());
        return switch (text) {
            case "" -> null;
            case "true" -> true;
            case "false" -> false;
            default -> throw new InvalidDeclarationException("autoStartup is '" + text + "'", "use true or false");
        };
    }

    /** The bean that the attribute names, or that its SpEL yields; null if the attribute is empty. */
    private <T> @Nullable T bean(String attribute, Class<T> type) {
        Object value = expressions.value(attribute);
        if (type.isInstance(value)) {
            return type.cast(value);
        }
        String name = value == null ? "" : value.toString().strip();
        if (name.isEmpty()) {
            return null;
        }
        try {
            return beans.getBean(name, type);
        } catch (NoSuchBeanDefinitionException e) {
            throw new InvalidDeclarationException(
                    "there is no bean '" + name + "' of type " + type.getSimpleName(),
                    "declare it, or correct the name");
        }
    }
}
