package io.rxe.bench.plot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.rxe.bench.MachineInfo;
import io.rxe.bench.compare.ComparisonReport;
import io.rxe.bench.compare.Outcome;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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
        assertEquals(List.of(250.0, 125.0, 125.0, 250.0), widths(picture));
        List<String> texts = texts(picture);
        assertTrue(texts.containsAll(List.of(ROUND_TRIP, "us, less is better", "10.00", "5.00", RATE, "millions, more is better", "2.00",
            "4.00", "rxe", "C limit", "UCX")), texts.toString());
        assertEquals(-1, texts.indexOf("a work of the long table only"));
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
        return new ComparisonReport(new MachineInfo("Some CPU", 2, "Linux 6.1", "17 (Test)", "abc"), 1, 1,
            List.of(new Outcome(ROUND_TRIP, "us", "C limit", 10, 5, 2, 1.5, true), new Outcome(RATE, "1/s", "UCX", 2e6, 4e6, 0.5, 5, false),
                new Outcome("a work of the long table only", "us", "C limit", 1, 1, 1, 1, true)), Map.of(), Map.of(), Map.of());
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
