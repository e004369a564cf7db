package io.fila.listener;

import java.lang.reflect.Method;
import java.util.List;

import io.fila.client.FilaMessage;
import io.fila.template.PayloadConverter;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.messaging.Message;
import org.springframework.messaging.handler.annotation.support.DefaultMessageHandlerMethodFactory;
import org.springframework.messaging.handler.invocation.HandlerMethodArgumentResolverComposite;
import org.springframework.messaging.handler.invocation.InvocableHandlerMethod;
import org.springframework.validation.Validator;

/** Makes listener methods callable with a message; what their parameters cannot take is dead-lettered. */
final class ListenerMethodFactory extends DefaultMessageHandlerMethodFactory {

    private final HandlerMethodArgumentResolverComposite resolvers = new HandlerMethodArgumentResolverComposite();

    ListenerMethodFactory(PayloadConverter converter, @Nullable Validator validator, BeanFactory beans) {
        setBeanFactory(beans);
        setMessageConverter(new PayloadMessageConverter(converter));
        if (validator != null) {
            setValidator(validator);
        }
        setCustomArgumentResolvers(List.of(
                new HeaderValueArgumentResolver(FilaMessage.class, FilaHeaders.MESSAGE),
                new HeaderValueArgumentResolver(Acknowledgement.class, FilaHeaders.ACKNOWLEDGEMENT)));
        afterPropertiesSet();
        resolvers.addResolvers(initArgumentResolvers());
    }

    @Override
    public InvocableHandlerMethod createInvocableHandlerMethod(Object bean, Method method) {
        ListenerMethod invocable = new ListenerMethod(bean, method);
        invocable.setMessageMethodArgumentResolvers(resolvers);
        return invocable;
    }

    /** Tells apart a message that does not fit the parameters, which no further attempt can mend, from a handler that fails. */
    private static final class ListenerMethod extends InvocableHandlerMethod {

        private ListenerMethod(Object bean, Method method) {
            super(bean, method);
        }

        @Override
        protected @Nullable Object[] getMethodArgumentValues(Message<?> message, Object... providedArgs) {
            try {
                return super.getMethodArgumentValues(message, providedArgs);
            } catch (Exception e) {
                throw new DeadLetterException(
                        "the message does not fit the parameters of " + getShortLogMessage() + ": " + e.getMessage(),
                        e);
            }
        }
    }
}
