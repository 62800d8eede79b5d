package io.rxe.sim;

import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Additions to a plain scenario. Each makes a run longer, so a test draws them for few seeds and a soak for many. */
enum Feature {
    /** Messages of up to 600 packets, so that READ splitting, AckReq intervals and send windows take effect. */
    LONG_MESSAGES(0.02, 0.2),
    /** Several engines for each NIC, which share memory keys, completion queues and events. */
    SEVERAL_ENGINES(0.02, 0.3),
    /** Hostile datagrams of a {@link ThirdParty}. */
    THIRD_PARTY(0.03, 0.3),
    /** Connections that a {@link Disruption} ends in the middle of traffic, beside others that go on. */
    DISRUPTIONS(0.04, 0.3),
    /** Peers that answer as rdma_rxe does: see {@link RxeResponder}. */
    RXE_PEERS(0.04, 0.3),
    /** ATOMIC_WRITE and FLUSH among the requests. */
    PLACEMENT(0.1, 0.3),
    /** Memory windows and fast registrations that come and go: see {@link WindowOwner}. */
    WINDOWS(0.04, 0.3),
    /** Completion queues and registrations that change under traffic: see {@link ResourceChanges}. */
    CHANGES(0.04, 0.3),
    /** NICs with two ports, and connections that migrate between their paths while these are cut: see {@link PathOwner}. */
    PATHS(0.04, 0.3),
    /** Another run besides, of XRC connections: see {@link XrcSimulation}. */
    XRC(0.1, 0.5),
    /** Idle connections that ask whether their peer is still there: see {@link KeepAliveRules}. */
    KEEP_ALIVE(0.04, 0.3),
    /** Peers of which connection management says that they give no credits, and that post receives slowly. */
    CREDIT_BIT(0.04, 0.3);

    /** System property with the features of every run, instead of drawn ones: names with commas between them, or nothing. */
    static final String PROPERTY = "rxe.sim.features";

    /** How often features are drawn. */
    enum Mix {
        /** For tests: short runs. */
        TEST,
        /** For tools/soak. */
        SOAK
    }

    private final double testProbability;
    private final double soakProbability;

    Feature(double testProbability, double soakProbability) {
        this.testProbability = testProbability;
        this.soakProbability = soakProbability;
    }

    /** Draws from a stream of its own, so that a seed without features is the same run as before a feature was added. */
    static Set<Feature> draw(long seed, Mix mix) {
        String given = System.getProperty(PROPERTY);
        if (given != null) {
            return parse(given);
        }
        SeededRandom random = new SeededRandom(seed ^ 0xfea7_fea7_fea7_fea7L);
        Set<Feature> drawn = EnumSet.noneOf(Feature.class);
        for (Feature feature : values()) {
            if (random.chance(mix == Mix.SOAK ? feature.soakProbability : feature.testProbability)) {
                drawn.add(feature);
            }
        }
        return drawn;
    }

    /** @param names with commas between them. */
    static Set<Feature> parse(String names) {
        Set<Feature> parsed = EnumSet.noneOf(Feature.class);
        for (String name : names.split(",")) {
            if (!name.isEmpty()) {
                parsed.add(valueOf(name));
            }
        }
        return parsed;
    }

    /** The system property that gives a run these features. */
    static String toProperty(Set<Feature> features) {
        return "-D" + PROPERTY + "=" + features.stream().map(Feature::name).collect(Collectors.joining(","));
    }
}
