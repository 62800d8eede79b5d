package io.rxe.bench.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.bench.BandwidthResult;
import io.rxe.bench.LoopbackPlan;
import io.rxe.bench.LoopbackReport;
import io.rxe.bench.MachineInfo;
import io.rxe.bench.MeasuredRow;
import io.rxe.bench.OperationNames;
import io.rxe.bench.VerifyReport;
import io.rxe.bench.Workload;
import io.rxe.verbs.Operation;
import io.rxe.verbs.PathMtu;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import javax.xml.parsers.DocumentBuilderFactory;
import org.HdrHistogram.Histogram;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

@DisplayName("A plot")
class SvgPlotTest {
    @Test
    void ofALoopbackRunIsWellFormedAndHasACurveForEachOperation() throws Exception {
        Document picture = parse(LoopbackPlot.draw(report(), List.of()));
        // A curve and its line in the legend for each operation; two panels.
        assertEquals(2 * 2, picture.getElementsByTagName("polyline").getLength());
        assertTrue(texts(picture).containsAll(List.of("Goodput against message size", "Round-trip latency", "SEND", "READ", "READ 64",
            "99.9", "64K", "rxe loopback, RC, MTU 4096, 1 queue pair")), texts(picture).toString());
    }

    @Test
    void hasAThirdPanelForGoodputUnderLoss() throws Exception {
        Workload send = new Workload(Operation.SEND, 65536);
        Document picture = parse(LoopbackPlot.draw(report(),
            List.of(new LossPoint(send, 0, 8), new LossPoint(send, 0.1, 7.5), new LossPoint(send, 3, 4))));
        assertEquals(2 * 2 + 1, picture.getElementsByTagName("polyline").getLength());
        assertTrue(texts(picture).contains("Goodput against loss"), texts(picture).toString());
    }

    @Test
    void followsTheChoiceOfLightOrDark() {
        String picture = LoopbackPlot.draw(report(), List.of());
        assertTrue(picture.contains("@media (prefers-color-scheme: dark)"), "colours for a dark background");
    }

    @Test
    void escapesWhatXmlWouldTakeForMarkup() throws Exception {
        Panel panel = new Panel("a < b & \"c\"", Axis.fromZero("x", 1, Double::toString), Axis.fromZero("y", 1, Double::toString),
            List.of(new Curve("<d>", new double[] {0, 1}, new double[] {0, 1})));
        List<String> texts = texts(parse(SvgPlot.draw("t", "f", List.of(panel))));
        assertTrue(texts.containsAll(List.of("a < b & \"c\"", "<d>")), texts.toString());
    }

    @Test
    void linearAxisEndsAtARoundNumber() {
        assertEquals(List.of(0.0, 5.0, 10.0, 15.0, 20.0, 25.0), Axis.fromZero("y", 21, Double::toString).ticks());
        assertEquals(0.5, Axis.fromZero("y", 8, Double::toString).place(4), 1e-12);
    }

    @Test
    void logarithmicAxisGivesEqualRatiosEqualDistances() {
        Axis axis = Axis.powers("x", 64, 1 << 20, 4, Double::toString);
        assertEquals(64, axis.low());
        assertEquals(1 << 20, axis.high());
        assertEquals(2.0 / 14, axis.place(256), 1e-12);
        assertEquals(1, axis.place(1e12), 1e-12);
    }

    @Test
    void refusesACurveWithMorePlacesThanValues() {
        assertThrows(IllegalArgumentException.class, () -> new Curve("c", new double[2], new double[1]));
    }

    private static Document parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    private static List<String> texts(Document picture) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < picture.getElementsByTagName("text").getLength(); i++) {
            texts.add(picture.getElementsByTagName("text").item(i).getTextContent());
        }
        return texts;
    }

    private static LoopbackReport report() {
        Histogram trips = new Histogram(1, 1_000_000, 3);
        for (int i = 1; i <= 10_000; i++) {
            trips.recordValue(9_000 + i);
        }
        List<MeasuredRow> rows = new ArrayList<>();
        for (Workload workload : Workload.of(List.of(Operation.SEND, Operation.RDMA_READ), List.of(64, 65536))) {
            rows.add(new MeasuredRow(workload, new BandwidthResult(1000, 1000L * workload.sizeBytes(), 1_000_000, 1), trips));
        }
        LoopbackPlan plan = new LoopbackPlan(OperationNames.ALL, List.of(1), List.of(64), PathMtu.MTU_4096, 1, 64, 500_000_000,
            false, false, 1);
        return new LoopbackReport(plan, new MachineInfo("Some CPU", 2, "Linux 6.1", "17 (Test)", "abc"), new VerifyReport(2, 4, 4, 4, 4),
            rows, Map.of());
    }
}
