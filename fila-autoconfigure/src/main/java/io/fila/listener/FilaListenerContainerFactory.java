package io.fila.listener;

/** Makes the containers of listeners. Declare a bean to have listeners with settings, or a broker, of their own. */
@FunctionalInterface
public interface FilaListenerContainerFactory {

    /** A stopped container for the endpoint. */
    FilaListenerContainer createContainer(FilaListenerEndpoint endpoint);
}
