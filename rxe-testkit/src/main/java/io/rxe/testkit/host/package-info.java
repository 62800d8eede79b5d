/** What the programs of the test kit need of the machine they run on. */
package io.rxe.testkit.host;
