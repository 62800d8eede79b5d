package io.rxe.net.observe;

import java.util.ArrayList;
import java.util.List;

/** How a process is called in its counter file: as its user has called it, without the folders in front. */
final class ProcessCommand {
    private ProcessCommand() {
    }

    static String ofProcess() {
        ProcessHandle.Info info = ProcessHandle.current().info();
        return of(System.getProperty("sun.java.command"), info.command().orElse("java"), info.arguments().orElse(new String[0]));
    }

    /**
     * @param javaCommand what {@code java} was told to run, a class or a jar and its arguments; null in another program.
     * @param executable  path of that program.
     * @param arguments   of that program.
     */
    static String of(String javaCommand, String executable, String... arguments) {
        if (javaCommand == null) {
            List<String> words = new ArrayList<>(List.of(executable.substring(executable.lastIndexOf('/') + 1)));
            words.addAll(List.of(arguments));
            return String.join(" ", words);
        }
        int end = (javaCommand + " ").indexOf(".jar ");
        if (end < 0) {
            return javaCommand;
        }
        String jar = javaCommand.substring(javaCommand.lastIndexOf('/', end) + 1, end);
        return jar.replaceFirst("-[0-9].*", "") + javaCommand.substring(end + ".jar".length());
    }
}
