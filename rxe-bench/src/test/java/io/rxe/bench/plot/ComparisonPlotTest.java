package io.rxe.bench.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.bench.compare.ComparisonReport;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

@DisplayName("The picture of a comparison")
class ComparisonPlotTest {
    private static final String ROUND_TRIP = "SEND of 64 B, round trip, spinning, p50";
    private static final String RATE = "SEND of 64 B, messages per second";

    @Test
    void hasABarForEachFigureOfTheShortTable() throws Exception {
        Document picture = parse(ComparisonPlot.draw(report()));
        assertEquals(List.of(125.0, 250.0, 250.0, 125.0), widths(picture));
        List<String> texts = texts(picture);
        assertTrue(texts.containsAll(List.of(ROUND_TRIP, "us, less is better", "10.00", "5.00", RATE, "millions, more is better", "2.00",
            "4.00", "rxe", "raw C", "UCX")), texts.toString());
        assertEquals(-1, texts.indexOf("SEND of 64 B, round trip, spinning, p99"));
    }

    @Test
    void followsTheChoiceOfLightOrDark() {
        String[] schemes = ComparisonPlot.draw(report()).split("@media \\(prefers-color-scheme: dark\\)", -1);
        assertEquals(2, schemes.length);
        for (String style : List.of("svg {", "text {", ".bar {", ".own {")) {
            assertTrue(schemes[0].contains(style) && schemes[1].contains(style), style + " has a colour in both");
        }
    }

    private static ComparisonReport report() {
        return ComparisonReport.ofJson("""
            {"machine": {"processor": "Some CPU", "processors": 2, "kernel": "Linux 6.1", "java": "17 (Test)", "commit": "abc"},
             "place": "loopback", "rounds": 1, "duration_ns": 1,
             "samples": {"rxe/spin/p50": [10], "c/spin/p50": [5], "rxe/rate/send": [2000000], "ucx/rate": [4000000],
               "rxe/spin/p99": [1], "c/spin/p99": [1]}}
            """);
    }

    private static Document parse(String svg) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }

    private static List<Double> widths(Document picture) {
        List<Double> widths = new ArrayList<>();
        for (int i = 0; i < picture.getElementsByTagName("rect").getLength(); i++) {
            widths.add(Double.valueOf(picture.getElementsByTagName("rect").item(i).getAttributes().getNamedItem("width").getTextContent()));
        }
        return widths;
    }

    private static List<String> texts(Document picture) {
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < picture.getElementsByTagName("text").getLength(); i++) {
            texts.add(picture.getElementsByTagName("text").item(i).getTextContent());
        }
        return texts;
    }
}
