package io.rxe.tools.run;

import io.rxe.ibverbs.ProgramStart;
import io.rxe.net.InterfaceInfo;
import io.rxe.net.process.ProcessSettings;
import io.rxe.tools.cli.CommonNicOptions;
import io.rxe.tools.cli.OptionText;
import io.rxe.tools.cli.ToolFailure;
import java.io.IOException;
import java.net.Inet6Address;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The options that describe the NICs of a program; a mixin. */
final class ProgramOptions extends CommonNicOptions {
    @Spec(Target.MIXEE)
    private CommandSpec mixee;

    @Option(names = "--dev", paramLabel = "ADDR|IFNAME|NETWORK,...",
        description = "Local address of the NIC. Of an interface or a network (127.0.3.0/24) each process takes the first address that no"
            + " other NIC has. Several with commas are as many NICs: rxe0, rxe1 and so on. Default: of 127.0.0.1 to 127.0.0.254.")
    private String device;

    @Option(names = "--script", paramLabel = "FILE", description = "Faults at times, and what must follow: lines 'at 2s cm: DISCONNECTED'"
        + " and 'expect DISCONNECTED within 1s'. The program ends with status 113 when something does not.")
    private Path script;

    @Option(names = "--disni", description = "The program is in Java and uses DiSNI: it needs no library.")
    private boolean disni;

    boolean isDisni() {
        return disni;
    }

    /**
     * What the options say.
     *
     * @throws ParameterException for a value that is none.
     * @throws ToolFailure        without the library, or for an address that is not local.
     */
    ProgramStart start() {
        String addresses = device == null ? null : addresses();
        ProgramStart start = disni ? new ProgramStart() : new ProgramStart(library());
        if (addresses != null) {
            OptionText.checked(mixee.commandLine(), "--dev: ", () -> start.address(addresses));
        }
        if (script != null) {
            OptionText.checked(mixee.commandLine(), "--script " + script + ": ", () -> ProcessSettings.readScript(script.toString()));
            start.script(script);
        }
        return OptionText.checked(mixee.commandLine(), "", () -> applyTo(start, mixee.commandLine().getErr()));
    }

    private Path library() {
        try {
            return LibraryFolder.library(sentence -> mixee.commandLine().getErr().println("note: " + sentence));
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }

    private String addresses() {
        String[] words = device.split(",", -1);
        if (words.length > 1 && disni) {
            throw new ParameterException(mixee.commandLine(), "--dev " + device + " names " + words.length + " NICs: a program for DiSNI"
                + " has one");
        }
        List<String> addresses = Arrays.stream(words).map(this::address).toList();
        if (addresses.stream().filter(address -> !address.contains("/")).anyMatch(word -> Collections.frequency(addresses, word) > 1)) {
            throw new ParameterException(mixee.commandLine(), "--dev " + device + " names an address twice: leave one out");
        }
        return String.join(",", addresses);
    }

    private String address(String word) {
        // The library in the program has more to choose from, and chooses when the program starts.
        if (word.contains("/") && !disni) {
            return word;
        }
        try {
            InterfaceInfo local = InterfaceInfo.of(word);
            if (local.address() instanceof Inet6Address && local.address().isLinkLocalAddress()) {
                throw new ParameterException(mixee.commandLine(), "--dev " + word + " is a link-local address, which programs cannot name:"
                    + " choose another");
            }
            return local.name().equals(word) && !disni ? word : local.address().getHostAddress();
        } catch (IOException e) {
            throw new ToolFailure(e.getMessage(), e);
        }
    }
}
