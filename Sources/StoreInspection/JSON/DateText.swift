package import Foundation

/// Dates as ISO 8601 text in UTC: `2026-11-21T08:30:00Z`, with as many decimals as the date has.
///
/// Written here because a dump must give back the very same double. ``exact(_:)``, the form of dumps, gives text only
/// where reading it again yields the same bits, and dumps fall back to the number of seconds. ``complete(_:)`` has text
/// for every date.
package enum DateText {
  /// For people: always text, to the millisecond.
  package static func display(_ date: Date) -> String {
    let seconds = date.timeIntervalSince1970
    // The clock of a place may show a day that is over elsewhere, or has not begun.
    guard hasCalendar(seconds) || hasCalendar(seconds - 86_400) else {
      return "\(date.timeIntervalSinceReferenceDate)\(secondsMark)"
    }
    return text(units: Int64((seconds * 1000).rounded()), unitsPerSecond: 1000, digits: 3)
  }

  /// Text that ``parse(_:)`` turns into the same bits; nil where there is none of up to six decimals.
  package static func exact(_ date: Date) -> String? {
    let seconds = date.timeIntervalSince1970
    guard hasCalendar(seconds) else { return nil }
    let candidate = text(units: Int64((seconds * 1_000_000).rounded()), unitsPerSecond: 1_000_000, digits: 6)
    guard let again = parse(candidate),
      again.timeIntervalSinceReferenceDate.bitPattern
        == date.timeIntervalSinceReferenceDate.bitPattern
    else { return nil }
    return candidate
  }

  /// Text that ``parse(_:)`` turns into the same bits, with as many decimals as that needs; nil for a date that no
  /// calendar reaches, and for minus zero.
  package static func complete(_ date: Date) -> String? {
    if let text = exact(date) { return text }
    let seconds = date.timeIntervalSinceReferenceDate
    guard hasCalendar(date.timeIntervalSince1970), seconds != 0, let (whole, decimals) = decimalDigits(of: seconds)
    else { return nil }
    // Text of up to nine decimals is read in another way, which may miss the last bit.
    let padded = decimals + String(repeating: "0", count: max(0, shortDecimals + 1 - decimals.count))
    return text(units: whole + epochOffset, unitsPerSecond: 1, digits: 0).dropLast() + ".\(padded)Z"
  }

  /// Stands behind a number of seconds since 2001.
  static let secondsMark = " s"
  /// Text of so many decimals has been read in floating-point arithmetic since the first format of dumps.
  fileprivate static let shortDecimals = 9
  /// More than any double has: the smallest needs 324 zeros and 17 digits.
  fileprivate static let maximumDecimals = 400

  private static func hasCalendar(_ secondsSince1970: Double) -> Bool {
    -250_000_000_000 < secondsSince1970 && secondsSince1970 < yearAfterLast
  }

  /// The beginning of the year 10000: 9999 is the last year of four digits, and for many programs it means "never".
  private static let yearAfterLast: Double = 253_402_300_800

  /// The shortest decimal number for a double, rounded down to whole seconds, and the decimals above them.
  private static func decimalDigits(of value: Double) -> (whole: Int64, decimals: String)? {
    let parts = abs(value).description.split(separator: "e")
    let number = parts[0].split(separator: ".", omittingEmptySubsequences: false)
    guard let exponent = parts.count > 1 ? Int(parts[1]) : 0, exponent <= 0 else { return nil }
    var digits = String(repeating: "0", count: -exponent) + number[0] + (number.count > 1 ? number[1] : "")
    let wholeCount = number[0].count
    guard var whole = Int64(digits.prefix(wholeCount)) else { return nil }
    digits.removeFirst(wholeCount)
    if value < 0 {
      whole = -whole
      if digits.contains(where: { $0 != "0" }) {
        whole -= 1
        digits = complement(digits)
      }
    }
    return (whole, digits)
  }

  /// The decimals of one minus a fraction that is not zero.
  fileprivate static func complement(_ decimals: some StringProtocol) -> String {
    let kept = decimals.reversed().drop { $0 == "0" }
    let zeros = decimals.count - kept.count
    let complemented = kept.enumerated().map { place, digit in
      String((place == 0 ? 10 : 9) - (digit.wholeNumberValue ?? 0))
    }
    return complemented.reversed().joined() + String(repeating: "0", count: zeros)
  }

  /// A date, or a date and a time, in UTC or with an offset: `2026-11-21`, `2026-11-21T08:30:00.5+01:00`.
  package static func parse(_ text: some StringProtocol) -> Date? {
    var reader = Reader(bytes: Array(text.utf8))
    guard let day = reader.day() else { return nil }
    if reader.isAtEnd { return Date(timeIntervalSinceReferenceDate: Double(day * 86_400 - epochOffset)) }
    guard reader.take("T") || reader.take(" "), let time = reader.time(), let offset = reader.offset(), reader.isAtEnd
    else { return nil }
    let whole = day * 86_400 + time.seconds - offset - epochOffset
    if time.decimals.count > shortDecimals {
      return seconds(whole, decimals: time.decimals).map { Date(timeIntervalSinceReferenceDate: $0) }
    }
    let fraction = time.decimals.isEmpty ? 0 : Double("0.\(time.decimals)") ?? 0
    return Date(timeIntervalSinceReferenceDate: Double(whole) + fraction)
  }

  /// The double that is nearest to a decimal number.
  private static func seconds(_ whole: Int64, decimals: String) -> Double? {
    guard whole < 0 else { return Double("\(whole).\(decimals)") }
    guard decimals.contains(where: { $0 != "0" }) else { return Double(whole) }
    return Double("-\(-whole - 1).\(complement(decimals))")
  }

  /// Seconds from 1970 to 2001.
  private static let epochOffset: Int64 = 978_307_200

  private static func text(units: Int64, unitsPerSecond: Int64, digits: Int) -> String {
    let (seconds, fraction) = floorDivide(units, unitsPerSecond)
    let (day, second) = floorDivide(seconds, 86_400)
    let (year, month, dayOfMonth) = civil(day)
    var text = year < 0 ? "-" : ""
    text += padded(abs(year), 4) + "-" + padded(month, 2) + "-" + padded(dayOfMonth, 2)
    text += "T" + padded(second / 3600, 2) + ":" + padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2)
    if fraction > 0 {
      var decimals = padded(fraction, digits)
      while decimals.hasSuffix("0") { decimals.removeLast() }
      text += "." + decimals
    }
    return text + "Z"
  }

  private static func padded(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (quotient: Int64, remainder: Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  /// Days since 1970-01-01 of a day of the proleptic Gregorian calendar, counted in eras of 400 years from a March.
  fileprivate static func days(year: Int64, month: Int64, day: Int64) -> Int64 {
    let shifted = month <= 2 ? year - 1 : year
    let (era, yearOfEra) = floorDivide(shifted, 400)
    let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
    return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
  }

  private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
    let (era, dayOfEra) = floorDivide(days + 719_468, 146_097)
    let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let shiftedMonth = (5 * dayOfYear + 2) / 153
    let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
    let day = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
    return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, day)
  }
}

/// Takes the parts of a date's text from left to right.
private struct Reader {
  let bytes: [UInt8]
  var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard position < bytes.count, bytes[position] == UInt8(ascii: character) else { return false }
    position += 1
    return true
  }

  mutating func number(minimumDigits: Int, maximumDigits: Int) -> Int64? {
    let start = position
    var value: Int64 = 0
    while position < bytes.count, position - start < maximumDigits,
      case let digit = bytes[position] &- UInt8(ascii: "0"), digit < 10
    {
      value = value * 10 + Int64(digit)
      position += 1
    }
    return position - start >= minimumDigits ? value : nil
  }

  mutating func day() -> Int64? {
    let isNegative = take("-")
    guard let year = number(minimumDigits: 4, maximumDigits: 5), take("-"),
      let month = number(minimumDigits: 2, maximumDigits: 2), (1...12).contains(month), take("-"),
      let day = number(minimumDigits: 2, maximumDigits: 2)
    else { return nil }
    let signedYear = isNegative ? -year : year
    let first = DateText.days(year: signedYear, month: month, day: 1)
    let next = DateText.days(year: month == 12 ? signedYear + 1 : signedYear, month: month % 12 + 1, day: 1)
    return (1...(next - first)).contains(day) ? first + day - 1 : nil
  }

  mutating func time() -> (seconds: Int64, decimals: String)? {
    guard let hour = number(minimumDigits: 2, maximumDigits: 2), hour < 24, take(":"),
      let minute = number(minimumDigits: 2, maximumDigits: 2), minute < 60
    else { return nil }
    guard take(":") else { return (hour * 3600 + minute * 60, "") }
    guard let second = number(minimumDigits: 2, maximumDigits: 2), second < 60 else { return nil }
    guard take(".") else { return (hour * 3600 + minute * 60 + second, "") }
    let decimals = bytes[position...].prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard (1...DateText.maximumDecimals).contains(decimals.count) else { return nil }
    position += decimals.count
    return (hour * 3600 + minute * 60 + second, String(decoding: decimals, as: UTF8.self))
  }

  /// Seconds east of UTC; a time without an offset is UTC.
  mutating func offset() -> Int64? {
    if isAtEnd || take("Z") { return 0 }
    let isWest = take("-")
    guard isWest || take("+"), let hour = number(minimumDigits: 2, maximumDigits: 2), hour < 24 else { return nil }
    _ = take(":")
    guard let minute = isAtEnd ? 0 : number(minimumDigits: 2, maximumDigits: 2), minute < 60 else { return nil }
    // Clocks of a place kept its own noon before there were zones.
    guard let second = take(":") ? number(minimumDigits: 2, maximumDigits: 2) : 0, second < 60 else { return nil }
    return (hour * 3600 + minute * 60 + second) * (isWest ? -1 : 1)
  }
}
