// The server. See docs/architecture.md.
import GRDB
