package io.fila.broker;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;

/** Starts a broker node. */
@SpringBootApplication
public class FilaBrokerApplication {

    public static void main(String[] args) {
        SpringApplication.run(FilaBrokerApplication.class, args);
    }
}
