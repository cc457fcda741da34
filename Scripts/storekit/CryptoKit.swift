// The declarations of CryptoKit that the client uses, written from Apple's documentation, with the page and first systems of
// each. Only Scripts/check-storekit compiles this file. It verifies signatures with the command openssl, so that the client's
// code can run without CryptoKit.
// swift-format-ignore-file
public import Foundation

/// curve25519 · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
public enum Curve25519: Sendable {
    /// curve25519/signing · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
    public enum Signing: Sendable {
        /// curve25519/signing/publickey · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
        public struct PublicKey: Sendable {
            private let bytes: [UInt8]

            /// curve25519/signing/publickey/init(rawrepresentation:) · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
            public init<D: ContiguousBytes>(rawRepresentation: D) throws {
                bytes = rawRepresentation.withUnsafeBytes { Array($0) }
                guard bytes.count == 32 else { throw CocoaError(.coderInvalidValue) }
            }

            /// curve25519/signing/publickey/isvalidsignature(_:for:) · iOS 13, macOS 10.15, tvOS 13, watchOS 6, visionOS 1
            public func isValidSignature<S: DataProtocol, D: DataProtocol>(_ signature: S, for data: D) -> Bool {
                // RFC 8410: the DER encoding of an Ed25519 public key is these twelve bytes and the 32 bytes of the key.
                let key = [0x30, 0x2A, 0x30, 0x05, 0x06, 0x03, 0x2B, 0x65, 0x70, 0x03, 0x21, 0x00] + bytes
                let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                defer { try? FileManager.default.removeItem(at: folder) }
                do {
                    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                    for (name, contents) in [("key", Data(key)), ("signature", Data(signature)), ("data", Data(data))] {
                        try contents.write(to: folder.appendingPathComponent(name))
                    }
                    let openssl = Process()
                    openssl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
                    openssl.arguments = [
                        "openssl", "pkeyutl", "-verify", "-pubin", "-keyform", "DER", "-inkey", "key", "-rawin",
                        "-in", "data", "-sigfile", "signature",
                    ]
                    openssl.currentDirectoryURL = folder
                    (openssl.standardOutput, openssl.standardError) = (FileHandle.nullDevice, FileHandle.nullDevice)
                    try openssl.run()
                    openssl.waitUntilExit()
                    return openssl.terminationStatus == 0
                } catch { return false }
            }
        }
    }
}
