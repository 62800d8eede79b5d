package io.rxe.tools;

import io.rxe.net.fault.FaultSpec;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Faults in netem's words. */
final class FaultConverter implements ITypeConverter<FaultSpec> {
    @Override
    public FaultSpec convert(String text) {
        try {
            return FaultSpec.parse(text);
        } catch (IllegalArgumentException e) {
            throw new TypeConversionException(e.getMessage());
        }
    }
}
