internal import LedgerServices
package import Logging

extension ServerClock {
    /// Creates the configured clock.
    ///
    /// - Parameter logger: Logs what the caller waits for if a simulator does not answer. Default: a logger for
    ///   commands.
    /// - Throws: ``ServerError`` when the clock of a simulator cannot be read.
    package init(_ configuration: ServerConfiguration, logger: Logger? = nil) async throws {
        switch configuration.clock {
        case .system: self = .system
        case .simulator(let url):
            let logger =
                logger ?? Logger(label: "counterfoil.command") { _ in ServerLogHandler(configuration.log) }
            let reportDelay: @Sendable () -> Void = {
                logger.notice("waiting for the simulator's clock, which does not answer", metadata: ["url": "\(url)"])
            }
            do { self = try await .following(url, onDelay: reportDelay) } catch let error as CancellationError {
                throw error
            } catch {
                throw ServerError(
                    .clockUnavailable,
                    "the simulator's clock at \(url) cannot be read; start the simulator, or correct the setting clock")
            }
        }
    }
}
