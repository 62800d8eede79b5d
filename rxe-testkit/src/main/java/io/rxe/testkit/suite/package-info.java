/** Suites of others, run unchanged on our NIC: docs/conformance.md. */
package io.rxe.testkit.suite;
