package io.rxe.ibverbs;

import io.rxe.net.process.ProcessSettings;
import io.rxe.verbs.CongestionOptions;
import io.rxe.verbs.PartitionKeys;
import io.rxe.wire.Gid;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/** Starts a program on a NIC of its own: the library preloaded, the NIC described by environment variables. */
public final class ProgramStart {
    private static final String UCX_DEVICES = "UCX_NET_DEVICES";
    /**
     * What makes frameworks that know several networks use this device: UCX; Open MPI and OpenSHMEM over it, but not by Open MPI's own
     * component for verbs, which wants an adapter; MPICH also between ranks of one host. The memory hooks of Open MPI, which UCX does not
     * need, and those of libfabric write 13 bytes over munmap: a thread of the JVM that returns from the system call there runs the middle
     * of them. A value of the user's own stays.
     */
    static final Map<String, String> FRAMEWORKS = Map.of(UCX_DEVICES, "rxe0:1", "UCX_TLS", "ib,self", "OMPI_MCA_pml", "ucx",
        "OMPI_MCA_osc", "ucx", "OMPI_MCA_btl", "^openib", "OMPI_MCA_memory", "^patcher", "FI_MR_CACHE_MONITOR", "disabled",
        "MPIR_CVAR_NOLOCAL", "1");

    private static final String LAUNCH_AGENT = "OMPI_MCA_orte_launch_agent";

    /** The signal with which the JVM suspends threads, in every thread that enters it: else SIGUSR2, which programs use. */
    private static final Map<String, String> SUSPENDING = Map.of("_JAVA_SR_SIGNUM", "63");

    private final Path library;
    private final Map<String, String> variables = new LinkedHashMap<>();

    /**
     * @param library built by {@link NativeLibrary#build}.
     * @throws IllegalArgumentException for a path that is not {@linkplain #isPreloadable preloadable}.
     */
    public ProgramStart(Path library) {
        if (!isPreloadable(library)) {
            throw new IllegalArgumentException("the library " + library.toAbsolutePath() + " cannot be preloaded: LD_PRELOAD takes no path"
                + " with a blank, a colon or a $; set XDG_CACHE_HOME to a folder without them");
        }
        this.library = library.toAbsolutePath();
        String others = System.getenv("LD_PRELOAD");
        variables.put("LD_PRELOAD", others == null || others.isEmpty() ? this.library.toString() : this.library + ":" + others);
        addUnlessSet(SUSPENDING);
        addUnlessSet(new TreeMap<>(FRAMEWORKS));
        nameDevices(System.getenv().getOrDefault(ProcessSettings.DEV, ""));
    }

    /** Whether the dynamic loader takes the path from LD_PRELOAD, where blanks and colons end a path and a $ begins a word it replaces. */
    public static boolean isPreloadable(Path path) {
        return path.toAbsolutePath().toString().chars().noneMatch(letter -> " \t\n:$".indexOf(letter) >= 0);
    }

    private void addUnlessSet(Map<String, String> defaults) {
        defaults.forEach((name, value) -> {
            if (System.getenv(name) == null) {
                variables.put(name, value);
            }
        });
    }

    /** For a program that needs no library, only the {@link #variables}. */
    public ProgramStart() {
        this.library = null;
    }

    /**
     * Sets the local address of the NIC: an IPv4 or IPv6 address, or an interface or a network (10.1.0.0/16), of which a process takes the
     * first that is free. Several with commas between them are as many NICs, at most {@value Handles#NICS}. Without it the program takes a
     * free one of loopback.
     *
     * @throws IllegalArgumentException for a network that is none, in the words of the program that would find it out.
     */
    public ProgramStart address(String address) {
        for (String word : address.split(",")) {
            if (word.contains("/") && !isNetwork(word)) {
                throw new IllegalArgumentException(word + " is neither an address nor an interface with an address, nor a network with one"
                    + " (10.1.0.0/16)");
            }
        }
        variables.put(ProcessSettings.DEV, address);
        nameDevices(address);
        return this;
    }

    private static boolean isNetwork(String word) {
        int slash = word.indexOf('/');
        try {
            int bits = Gid.parse(word.substring(0, slash)).isIpv4() && !word.contains(":") ? Integer.SIZE : 2 * Long.SIZE;
            return word.substring(slash + 1).matches("\\d{1,3}") && Integer.parseInt(word.substring(slash + 1)) <= bits;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** Of as many NICs as there are words with commas between them. */
    private void nameDevices(String addresses) {
        long nics = addresses.chars().filter(letter -> letter == ',').count() + 1;
        variables.computeIfPresent(UCX_DEVICES,
            (name, value) -> LongStream.range(0, nics).mapToObj(nic -> "rxe" + nic + ":1").collect(Collectors.joining(",")));
    }

    /** Sets the UDP port of the NIC, 1 to 65535. */
    public ProgramStart udpPort(int port) {
        variables.put(ProcessSettings.UDP_PORT, Integer.toString(port));
        return this;
    }

    /** Sets the P_Key table of the NIC; 0xFFFF alone without it. */
    public ProgramStart partitionKeys(PartitionKeys keys) {
        variables.put(ProcessSettings.PKEYS, keys.toString());
        return this;
    }

    /** Sets whom the NIC notifies of marks, as {@code io.rxe.port.EcnOptions} reads it; nobody without it. */
    public ProgramStart ecn(String mode) {
        variables.put(ProcessSettings.ECN, mode);
        return this;
    }

    /** Sets the congestion controller of the NIC; {@code delay} without it. */
    public ProgramStart congestion(CongestionOptions options) {
        variables.put(ProcessSettings.CC, options.toString());
        return this;
    }

    /**
     * Writes every packet to a pcapng file.
     *
     * @throws IllegalArgumentException for an empty name.
     */
    public ProgramStart capture(Path file) {
        variables.put(ProcessSettings.CAPTURE, ProcessSettings.capture(file));
        return this;
    }

    /** Injects faults, in the syntax of {@code io.rxe.net.fault.FaultSpec}. */
    public ProgramStart fault(String spec) {
        variables.put(ProcessSettings.FAULT, spec);
        return this;
    }

    /** Makes verbs, requests and connections fail, in the syntax of {@code io.rxe.net.fault.VerbsFaultSpec}. */
    public ProgramStart verbsFault(String spec) {
        variables.put(ProcessSettings.VERBS_FAULT, spec);
        return this;
    }

    /** As {@link #verbsFault}, with a file of faults and of what must follow. */
    public ProgramStart script(Path file) {
        variables.put(ProcessSettings.VERBS_SCRIPT, file.toAbsolutePath().toString());
        return this;
    }

    /** Makes faults, queue pair numbers and keys repeatable. */
    public ProgramStart seed(long seed) {
        variables.put(ProcessSettings.SEED, Long.toString(seed));
        return this;
    }

    /** Makes the library say why a verb or a request fails. */
    public ProgramStart verbose() {
        variables.put(ProcessSettings.VERBOSE, "1");
        return this;
    }

    /** The environment variables that make any program use the NIC. */
    public Map<String, String> variables() {
        if (library != null) {
            launchAgent(variables, System.getenv()).ifPresent(agent -> variables.put(LAUNCH_AGENT, agent));
        }
        return variables;
    }

    /**
     * With what Open MPI starts its daemon on another host: that hands its environment to the ranks there, and ssh carries none. The option
     * -x of mpirun forbids the variable that Open MPI has for this, mca_base_env_list, but not to begin with another command. A shell reads
     * the words there. In a job of Slurm none does, and srun carries the environment. A command of the user's own stays.
     */
    static Optional<String> launchAgent(Map<String, String> variables, Map<String, String> environment) {
        boolean isOwn = environment.getOrDefault(LAUNCH_AGENT, NativeLibrary.NAME).contains(NativeLibrary.NAME);
        if (!isOwn || environment.containsKey("SLURM_JOB_ID")) {
            return Optional.empty();
        }
        Map<String, String> all = new TreeMap<>(environment);
        all.keySet().removeIf(name -> !name.startsWith("RXE_") && !FRAMEWORKS.containsKey(name));
        all.putAll(variables);
        // Open MPI hands on its own.
        all.keySet().removeIf(name -> name.startsWith("OMPI_"));
        return Optional.of(all.entrySet().stream().filter(entry -> entry.getValue().indexOf('\n') < 0)
            .map(entry -> entry.getKey() + "=" + shellWord(entry.getValue())).collect(Collectors.joining(" ", "env ", " orted")));
    }

    private static String shellWord(String value) {
        return value.matches("[\\w%+,./:=@^-]*") ? value : "'" + value.replace("'", "'\\''") + "'";
    }

    /**
     * Becomes the program: this process ends, and signals, exit status and terminal are the program's own.
     *
     * @param command the program and its arguments.
     * @throws IOException           when it cannot be started.
     * @throws IllegalStateException when it was made without a library.
     */
    public void exec(List<String> command) throws IOException {
        if (library == null) {
            throw new IllegalStateException("there is no library to preload: give one to the constructor");
        }
        Path program = ProgramFile.find(command.get(0), System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
        ProgramFile.requirePreloadable(program);
        try {
            System.load(library.toString());
        } catch (UnsatisfiedLinkError e) {
            throw new IOException("the library for programs does not load: " + e.getMessage() + "; where its folder is mounted noexec,"
                + " use a checkout elsewhere, or set XDG_CACHE_HOME to a folder elsewhere for a jar or a package", e);
        }
        ProcessSettings.beginCapture(variables);
        Map<String, String> all = variables();
        int errno = exec(NativeText.bytes(program.toAbsolutePath().toString()), NativeText.arguments(command),
            NativeText.bytes(all.keySet()), NativeText.bytes(all.values()));
        throw new IOException(program + " cannot be started: error " + errno);
    }

    private static native int exec(byte[] path, byte[][] arguments, byte[][] names, byte[][] values);
}
