internal import LedgerServices

extension ServerClock {
    /// The clock that a configuration names.
    ///
    /// - Throws: ``ServerError`` when it is a simulator's and cannot be read.
    package init(_ clock: ServerConfiguration.Clock) async throws {
        switch clock {
        case .system: self = .system
        case .simulator(let url):
            do { self = try await .following(url) } catch let error as CancellationError {
                throw error
            } catch {
                throw ServerError(
                    .noClock, "the simulator's clock at \(url) cannot be read; does the simulator run?")
            }
        }
    }
}
