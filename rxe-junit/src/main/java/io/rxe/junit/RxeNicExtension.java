package io.rxe.junit;

import io.rxe.net.RxeNic;
import java.lang.reflect.Parameter;
import java.util.Optional;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionConfigurationException;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.platform.commons.support.AnnotationSupport;

/** Opens the NICs of {@link RxeNics} before a test and closes them after it. JUnit calls it; tests use the annotation. */
public final class RxeNicExtension implements BeforeEachCallback, AfterEachCallback, ParameterResolver {
    private static final ExtensionContext.Namespace NAMESPACE = ExtensionContext.Namespace.create(RxeNicExtension.class);

    /** For JUnit. */
    public RxeNicExtension() {
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        if (context.getStore(NAMESPACE).get(NicSet.class) != null) {
            throw new ExtensionConfigurationException("two RxeNicExtension at " + context.getDisplayName()
                + ": @RxeNics registers it, so remove the @RegisterExtension");
        }
        context.getStore(NAMESPACE).put(NicSet.class, NicSet.open(annotation(context), ReportFolder.of(context)));
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        NicSet nics = context.getStore(NAMESPACE).remove(NicSet.class, NicSet.class);
        if (nics != null) {
            nics.close(context.getExecutionException().isPresent());
        }
    }

    /** That of the method, or else of its class, or else of a class around it. */
    private static RxeNics annotation(ExtensionContext context) {
        Optional<RxeNics> found = AnnotationSupport.findAnnotation(context.getElement(), RxeNics.class);
        for (Class<?> type = context.getRequiredTestClass(); found.isEmpty() && type != null; type = type.getEnclosingClass()) {
            found = AnnotationSupport.findAnnotation(type, RxeNics.class);
        }
        return found.orElseThrow(() -> new ExtensionConfigurationException("no @RxeNics at " + context.getDisplayName()
            + " or its class: annotate one of them, instead of naming the extension"));
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == RxeNic.class || type == RxeNic[].class || parameter.isAnnotated(FreePort.class);
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        NicSet nics = context.getStore(NAMESPACE).get(NicSet.class, NicSet.class);
        if (nics == null) {
            throw new ParameterResolutionException("parameter " + parameter.getParameter() + " of "
                + parameter.getDeclaringExecutable() + ": NICs are opened for each test; take them in the test or in a @BeforeEach method");
        }
        Class<?> type = parameter.getParameter().getType();
        if (parameter.isAnnotated(FreePort.class)) {
            if (type != int.class) {
                throw new ParameterResolutionException("@FreePort at a parameter of type " + type.getSimpleName() + ": make it an int");
            }
            return nics.freePort();
        }
        return type == RxeNic[].class ? nics.all() : nics.get(position(parameter));
    }

    /** How many parameters before this one are NICs. */
    private static int position(ParameterContext parameter) {
        int position = 0;
        Parameter[] parameters = parameter.getDeclaringExecutable().getParameters();
        for (int index = 0; index < parameter.getIndex(); index++) {
            if (parameters[index].getType() == RxeNic.class) {
                position++;
            }
        }
        return position;
    }
}
