/** Applications over our NIC beside the same over TCP: docs/applications.md. */
package io.rxe.testkit.beside;
