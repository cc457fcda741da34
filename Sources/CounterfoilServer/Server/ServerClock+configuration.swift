internal import LedgerServices

extension ServerClock {
    /// Creates the configured clock.
    ///
    /// - Throws: ``ServerError`` when the clock of a simulator cannot be read.
    package init(_ clock: ServerConfiguration.Clock) async throws {
        switch clock {
        case .system: self = .system
        case .simulator(let url):
            do { self = try await .following(url) } catch let error as CancellationError {
                throw error
            } catch {
                throw ServerError(
                    .clockUnavailable,
                    "the simulator's clock at \(url) cannot be read; start the simulator, or correct the setting clock")
            }
        }
    }
}
