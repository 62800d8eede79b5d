package io.rxe.ibverbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** Compares what the two halves say of C structures with the real header: a C program prints sizes and offsets. */
final class HeaderCheck {
    private final Path folder;
    private final String header;

    /** @param header as in {@code #include <header>}. */
    HeaderCheck(Path folder, String header) {
        this.folder = folder;
        this.header = header;
    }

    /**
     * Asserts that each constant of each class in a layout is what the header says.
     *
     * @param structure name of the C structure of a class.
     * @param inner     fields of constants, as "Class.CONSTANT", that lie in a union or an inner structure.
     */
    void assertConstants(Class<?> layout, int classes, Function<Class<?>, String> structure, Map<String, String> inner) throws Exception {
        Map<String, Integer> ours = new TreeMap<>();
        StringBuilder body = new StringBuilder("\n#include <stdio.h>\nint main(void) {\n");
        assertEquals(classes, layout.getDeclaredClasses().length);
        for (Class<?> type : layout.getDeclaredClasses()) {
            assertTrue(type.getDeclaredFields().length > 0, type.getName());
            for (Field field : type.getDeclaredFields()) {
                String expression = expression("struct " + structure.apply(type), field.getName(),
                    inner.get(type.getSimpleName() + "." + field.getName()));
                ours.put(expression, field.getInt(null));
                body.append("printf(\"%s=%zu\\n\", \"").append(expression).append("\", ").append(expression).append(");\n");
            }
        }
        Map<String, Integer> theirs = new TreeMap<>();
        CProgram.run(folder, "#include <" + header + ">" + body + "return 0; }\n").forEach(line -> theirs.put(
            line.substring(0, line.indexOf('=')), Integer.valueOf(line.substring(line.indexOf('=') + 1))));
        assertEquals(theirs, ours);
    }

    private static String expression(String structure, String constant, String inner) {
        return constant.equals("SIZE") ? "sizeof(" + structure + ")"
            : "offsetof(" + structure + ", " + (inner == null ? constant.toLowerCase(Locale.ROOT) : inner) + ")";
    }

    /** Asserts that a header of the C half declares these structures, and these fields of them, as the real one does. */
    void assertSameAs(String ourHeader, List<String> sizes, List<String> offsets) throws Exception {
        StringBuilder body = new StringBuilder("\n#include <stdio.h>\nint main(void) {\n");
        sizes.forEach(size -> body.append("printf(\"").append(size).append(" %zu\\n\", sizeof(struct ").append(size).append("));\n"));
        offsets.forEach(offset -> body.append("printf(\"").append(offset).append(" %zu\\n\", offsetof(struct ").append(offset)
            .append("));\n"));
        body.append("return 0; }\n");
        LibraryCompiler.extract(folder);
        assertEquals(CProgram.run(folder, "#include <" + header + ">" + body),
            CProgram.run(folder, "#include \"" + ourHeader + "\"" + body, "-I" + folder));
    }
}
