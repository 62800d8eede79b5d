package io.rxe.tools.cli;

import io.rxe.net.fault.FaultSpec;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Converts faults in netem's syntax. */
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
