package import Ledger

/// The ledger's, not the prepared statement of SQLite.
package typealias Statement = Ledger.Statement
