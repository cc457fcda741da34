internal import Basics
package import Foundation

extension PageValue {
    /// Returns an instant for the template `time`, in UTC and relative to `now` in words, or ``nothing``.
    package static func time(_ date: Date?, now: Date? = nil) -> PageValue {
        guard let date else { return .nothing }
        return [
            "iso": .text(date.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))),
            "shown": .text(date.consoleText), "relative": .optional(now.map { date.words(from: $0) }),
        ]
    }
}

extension Date {
    /// `2027-03-01 12:00:00 UTC`.
    package var consoleText: String {
        let style = Date.ISO8601FormatStyle(
            dateSeparator: .dash, dateTimeSeparator: .space, timeSeparator: .colon, timeZone: .gmt)
        return shownSecond.formatted(style.year().month().day().time(includingFractionalSeconds: false)) + " UTC"
    }

    /// Returns the date relative to `now`: `in 3 days`, `2 hours ago`, `now`. The distance is that of the times as
    /// ``consoleText`` shows them.
    package func words(from now: Date) -> String {
        let seconds = shownSecond.timeIntervalSince(now.shownSecond)
        let length = abs(seconds).lengthInWords
        return seconds == 0 ? "now" : seconds > 0 ? "in \(length)" : "\(length) ago"
    }

    /// The beginning of the second, which pages show.
    private var shownSecond: Date {
        // Half a millisecond compensates for the rounding of a floating-point number of seconds.
        Date(timeIntervalSince1970: (timeIntervalSince1970 + 0.0005).rounded(.down))
    }
}
