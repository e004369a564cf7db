package io.fila.broker.problem;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;

import org.jspecify.annotations.Nullable;
import org.springframework.util.unit.DataSize;

/** Bounds of a {@link DataSize} in the configuration, both allowed; Bean Validation has none for it. */
@Target({ElementType.FIELD, ElementType.PARAMETER})
@Retention(RetentionPolicy.RUNTIME)
@Documented
@Constraint(validatedBy = SizeRange.Validator.class)
public @interface SizeRange {

    String min() default "1B";

    /** Unless said otherwise, what surely fits into one array. */
    String max() default "1GB";

    String message() default "use {min} to {max}";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Checks it. */
    final class Validator implements ConstraintValidator<SizeRange, DataSize> {

        private DataSize min = DataSize.ofBytes(0);
        private DataSize max = DataSize.ofBytes(0);

        @Override
        public void initialize(SizeRange range) {
            min = DataSize.parse(range.min());
            max = DataSize.parse(range.max());
        }

        @Override
        public boolean isValid(@Nullable DataSize size, ConstraintValidatorContext context) {
            return size == null || (size.compareTo(min) >= 0 && size.compareTo(max) <= 0);
        }
    }
}
