package io.fila.broker.script;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

@Configuration(proxyBeanMethods = false)
class ScriptConfiguration {

    @Bean
    LuaEngine luaEngine(ScriptProperties properties, ConfigSnapshot config) {
        return new LuaEngine(
                new ScriptBudget(properties.maxTime(), properties.maxMemory(), properties.maxSteps()), config);
    }
}
