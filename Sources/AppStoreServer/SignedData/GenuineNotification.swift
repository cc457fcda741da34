package import AppStoreModels
package import AppStoreTrust

/// A notification that the App Store signed for a configured app and environment. This version may be unable to read
/// it, because it is newer: then it is stored, and processed by a version that can.
package struct GenuineNotification: Sendable {
    package let envelope: NotificationEnvelope
    /// The signed text exactly as received.
    package let text: String
    /// The verified payload, or why this version cannot read it.
    package let content: Result<Verified<ResponseBodyV2DecodedPayload>, VerificationError>

    private init(
        _ envelope: NotificationEnvelope, _ text: String,
        _ content: Result<Verified<ResponseBodyV2DecodedPayload>, VerificationError>
    ) {
        self.envelope = envelope
        self.text = text
        self.content = content
    }

    package init(_ verified: Verified<ResponseBodyV2DecodedPayload>) throws(VerificationError) {
        guard let envelope = NotificationEnvelope(verified.payload) else {
            throw VerificationError(.wrongApp, "the notification names no app")
        }
        self.init(envelope, verified.text, .success(verified))
    }

    fileprivate init(_ envelope: Verified<NotificationEnvelope>, unreadable error: VerificationError) {
        self.init(envelope.payload, envelope.text, .failure(error))
    }
}

extension SignedDataVerifier {
    /// Verifies a notification, also one that this version cannot read.
    ///
    /// - Throws: The error of ``notification(_:)`` if the notification is not genuine, if it is not for one of the apps,
    ///   or if not even the members can be read that are needed to store it.
    package func genuineNotification(_ text: String) async throws(VerificationError) -> GenuineNotification {
        let failure: VerificationError
        do throws(VerificationError) {
            return try GenuineNotification(await notification(text))
        } catch {
            failure = error
        }
        // `wrong_app` also if only a part that this version does not know names an app.
        guard failure.code == .badJSON || failure.code == .wrongApp else { throw failure }
        do throws(VerificationError) {
            return GenuineNotification(try await notificationEnvelope(text), unreadable: failure)
        } catch {
            throw error.isRetryable ? error : failure
        }
    }
}
