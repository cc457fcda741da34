internal import AppStoreModels
internal import Foundation

/// Writes numbers with variable length, and each repeated text once.
struct PackedWriter {
    private(set) var bytes: [UInt8] = []
    private var texts: [String] = []
    /// The words so far with their numbers. A record has few words, and repeats them in every transaction.
    private var words: [(text: String, number: UInt64)] = []
    /// The index of the word to compare first: transactions have their words in the same order.
    private var next = 0

    init(capacity: Int = 0) { bytes.reserveCapacity(capacity) }

    mutating func append(_ byte: UInt8) { bytes.append(byte) }
    mutating func append(contentsOf other: some Sequence<UInt8>) { bytes.append(contentsOf: other) }

    /// Writes seven bits per byte, the lowest first; the highest bit marks that more bytes follow.
    mutating func number(_ number: UInt64) {
        var rest = number
        while rest >= 128 {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes a signed number with the sign in the lowest bit (zigzag), so that small negative numbers are short too.
    mutating func signed(_ signed: Int64) {
        number(UInt64(bitPattern: (signed << 1) ^ (signed >> 63)))
    }

    /// Writes a text that is not repeated.
    mutating func text(_ text: String) {
        number(UInt64(text.utf8.count))
        bytes.append(contentsOf: text.utf8)
    }

    /// Writes a text that is repeated often, by its number; 0 for nil.
    mutating func word(_ word: String?) {
        guard let word else { return number(0) }
        // Compares bytes: Swift considers different spellings of a text equal.
        let isNext = next < words.count && words[next].text.isExactly(word)
        if let known = isNext ? next : words.firstIndex(where: { $0.text.isExactly(word) }) {
            next = known + 1 < words.count ? known + 1 : 0
            return number(words[known].number)
        }
        let new = WordDictionary.number(of: word) ?? WordDictionary.capacity + texts.count
        if new >= WordDictionary.capacity { texts.append(word) }
        words.append((word, UInt64(new)))
        number(UInt64(new))
    }

    /// Returns the bytes: the version, the table of words, and the contents.
    func packed(version: UInt8) -> Data {
        var head = PackedWriter()
        head.append(version)
        head.number(UInt64(texts.count))
        for text in texts { head.text(text) }
        var data = Data(capacity: head.bytes.count + bytes.count)
        data.append(contentsOf: head.bytes)
        data.append(contentsOf: bytes)
        return data
    }
}

/// Reads the bytes of a ``PackedWriter``. The bytes come from a file that may be corrupt: missing values read as empty,
/// and ``isDamaged`` becomes true.
struct PackedReader {
    // SQLite's own memory, which is valid while the row is read.
    private let bytes: UnsafeRawBufferPointer
    private var place = 0
    private var words: [String] = []
    private(set) var isDamaged = false

    init(_ bytes: UnsafeRawBufferPointer, versions: ClosedRange<UInt8>) {
        self.bytes = bytes
        guard versions.contains(byte()) else {
            isDamaged = true
            return
        }
        let count = count()
        words.reserveCapacity(count)
        for _ in 0..<count { words.append(text()) }
    }

    mutating func byte() -> UInt8 {
        guard place < bytes.count else {
            isDamaged = true
            return 0
        }
        defer { place += 1 }
        return bytes[place]
    }

    mutating func number() -> UInt64 {
        var number: UInt64 = 0
        for shift in stride(from: 0, to: 64, by: 7) as StrideTo<UInt64> {
            let byte = byte()
            number |= UInt64(byte & 127) << shift
            if byte < 128 { return number }
        }
        isDamaged = true
        return 0
    }

    mutating func signed() -> Int64 {
        let number = number()
        return Int64(bitPattern: number >> 1) ^ -Int64(bitPattern: number & 1)
    }

    /// Reads a count of elements with a minimum size in bytes. More elements than fit into the remaining bytes are an
    /// error.
    mutating func count(bytesEach: Int = 1) -> Int {
        let number = number()
        guard number <= UInt64((bytes.count - place) / bytesEach) else {
            isDamaged = true
            return 0
        }
        return Int(number)
    }

    mutating func text() -> String {
        let count = count()
        defer { place += count }
        return String(decoding: UnsafeRawBufferPointer(rebasing: bytes[place..<place + count]), as: UTF8.self)
    }

    mutating func uuid() -> UUID? {
        guard bytes.count - place >= 16 else {
            isDamaged = true
            return nil
        }
        defer { place += 16 }
        return UUID(uuid: bytes.loadUnaligned(fromByteOffset: place, as: uuid_t.self))
    }

    /// Reads a word that must not be nil.
    mutating func word() -> String {
        guard let word = optionalWord() else {
            isDamaged = true
            return ""
        }
        return word
    }

    mutating func optionalWord() -> String? {
        let number = number()
        if number == 0 { return nil }
        if number < UInt64(WordDictionary.capacity) {
            if let word = WordDictionary.word(Int(number)) { return word }
        } else if number - UInt64(WordDictionary.capacity) < UInt64(words.count) {
            return words[Int(number) - WordDictionary.capacity]
        }
        isDamaged = true
        return nil
    }
}

/// Frequent words of the App Store, by number. Other words are stored as they are.
enum WordDictionary {
    /// The numbers below this are reserved for known words.
    static let capacity = 64

    // The order is part of the file format: append new words at the end. Number 0 means no word.
    private static let all = [
        "Auto-Renewable Subscription", "Non-Consumable", "Consumable", "Non-Renewing Subscription",
        "REFUND_FULL", "REFUND_PRORATED", "FAMILY_REVOKE", "ASSIGNMENT_REVOKE",
        "PURCHASED", "FAMILY_SHARED", "ASSIGNED",
        "FREE_TRIAL", "PAY_AS_YOU_GO", "PAY_UP_FRONT", "ONE_TIME",
        "PURCHASE", "RENEWAL",
    ]

    private static let numbers = Dictionary(uniqueKeysWithValues: zip(all, 1...))

    static func number(of word: String) -> Int? {
        // All are ASCII: texts that are equal and have the same length have the same bytes.
        guard let number = numbers[word], all[number - 1].utf8.count == word.utf8.count else { return nil }
        return number
    }

    static func word(_ number: Int) -> String? { all.indices.contains(number - 1) ? all[number - 1] : nil }
}
