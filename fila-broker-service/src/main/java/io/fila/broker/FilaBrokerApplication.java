package io.fila.broker;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;

/** Starts a broker node. */
@SpringBootApplication
@ConfigurationPropertiesScan
public class FilaBrokerApplication {

    public static void main(String[] args) {
        SpringApplication.run(FilaBrokerApplication.class, args);
    }
}
