package io.rxe.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.rxe.verbs.CongestionOptions.Controller;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The choice of a congestion controller")
class CongestionOptionsTest {
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', value = {
        "delay                                    | delay",
        "NONE                                     | none",
        "dcqcn                                    | dcqcn",
        "dcqcn,rpg_hai_rate=0.04gbit | !rpg_hai_rate=0.04gbit is no rate: use a whole number of kbit, mbit or gbit, such as 5mbit",
        "dcqcn,rpg_ai_rate=40                     | dcqcn,rpg_ai_rate=40mbit",
        "DCQCN,RPG_AI_RATE=1GBIT,rpg_time_reset=1ms | dcqcn,rpg_time_reset=1000us,rpg_ai_rate=1000mbit",
        "dcqcn,rpg_min_rate=500kbit,rpg_threshold=5 | dcqcn,rpg_threshold=5,rpg_min_rate=500kbit",
        "dcqcn,rpg_ai_rate=5mbit,dce_tcp_g=1019   | dcqcn",
        "dcqcn,clamp_tgt_rate=1                   | dcqcn,clamp_tgt_rate=1",
        "dctcp | !'dctcp' is no congestion controller: use delay, which follows how long packets wait, dcqcn, which follows the marks of"
            + " routers, or none",
        "dcqcn,rpg_ai_rate=0 | !rpg_ai_rate=0mbit is not in 1kbit..10000000mbit: adapters use 5mbit, leave it out for that",
        "dcqcn,rpg_min_rate=0kbit | !rpg_min_rate=0mbit is not in 1kbit..10000000mbit: adapters use 1mbit, leave it out for that",
        "dcqcn,initial_alpha_value=1024 | !initial_alpha_value=1024 is not in 1..1023: adapters use 1023, leave it out for that",
        "dcqcn,rpg_time_reset=0us | !rpg_time_reset=0us is not in 1us..131071us: adapters use 300us, leave it out for that",
        "dcqcn,rpg_time_reset=5mbit | !rpg_time_reset=5mbit is no time: use a whole number of us or ms, such as 300us",
        "dcqcn,clamp_tgt_rate=yes | !clamp_tgt_rate=yes is no flag: use 0 or 1",
        "dcqcn,rpg_gd=-1 | !rpg_gd=-1 is no number: use digits only",
        "dcqcn,rpg_ai_rate=1,rpg_ai_rate=2 | !rpg_ai_rate is there twice, once is allowed: leave one out",
        "dcqcn,rpg_ai_rate | !'rpg_ai_rate' has no value: write NAME=VALUE, such as rpg_ai_rate=5mbit",
        "none,rpg_ai_rate=1 | !none has no parameters, and 1 were given: leave them out, or use dcqcn",
        "dcqcn,rpg_max_rate=1,rpg_min_rate=2 | !rpg_max_rate=1mbit is less than rpg_min_rate=2mbit: raise it, lower rpg_min_rate, or leave"
            + " it out for the rate of the line",
    })
    void texts(String text, String expected) {
        if (expected.startsWith("!")) {
            IllegalArgumentException refused = assertThrows(IllegalArgumentException.class, () -> CongestionOptions.parse(text));
            assertEquals(expected.substring(1), refused.getMessage());
            return;
        }
        CongestionOptions options = CongestionOptions.parse(text);
        assertEquals(expected, options.toString());
        assertEquals(options, CongestionOptions.parse(options.toString()));
    }

    @Test
    @DisplayName("an unknown parameter is answered with all that there are")
    void unknownParameters() {
        String message = assertThrows(IllegalArgumentException.class, () -> CongestionOptions.parse("dcqcn,ai_rate=5")).getMessage();
        assertEquals("'ai_rate' is no parameter of dcqcn: use one of clamp_tgt_rate, clamp_tgt_rate_after_time_inc, rpg_time_reset,"
            + " rpg_byte_reset, rpg_threshold, rpg_max_rate, rpg_ai_rate, rpg_hai_rate, rpg_gd, rpg_min_dec_fac, rpg_min_rate,"
            + " rate_to_set_on_first_cnp, dce_tcp_g, dce_tcp_rtt, rate_reduce_monitor_period, initial_alpha_value", message);
    }

    @Test
    @DisplayName("in a program a parameter is a number, of bits per second or microseconds")
    void numbers() {
        CongestionOptions options = CongestionOptions.DCQCN.with(DcqcnParameter.RPG_HAI_RATE, 40_000_000).with(DcqcnParameter.RPG_GD, 10);
        assertEquals("dcqcn,rpg_hai_rate=40mbit,rpg_gd=10", options.toString());
        assertEquals(40_000_000, options.value(DcqcnParameter.RPG_HAI_RATE));
        assertEquals(300, options.value(DcqcnParameter.RPG_TIME_RESET));
        assertEquals(CongestionOptions.DCQCN, options.with(DcqcnParameter.RPG_HAI_RATE, 50_000_000).with(DcqcnParameter.RPG_GD, 11));
        assertThrows(IllegalArgumentException.class, () -> CongestionOptions.DELAY.with(DcqcnParameter.RPG_GD, 11));
        assertThrows(IllegalArgumentException.class, () -> new CongestionOptions(Controller.DCQCN, Map.of(DcqcnParameter.RPG_GD, 9L)));
        assertThrows(NullPointerException.class, () -> new CongestionOptions(null, Map.of()));
    }
}
