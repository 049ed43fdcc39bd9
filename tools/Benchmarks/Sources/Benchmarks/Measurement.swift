import Foundation

/// One benchmark's runs: each the time of so many operations. Prints medians; the spread says how far to trust them.
struct Measurement: Encodable {
  var name: String
  /// What one operation is: a record, a commit, a query.
  var unit: String
  var operations: Int
  /// Seconds of each run, in the order they were taken.
  var seconds: [Double]
  /// Bytes of the store's data file, or of the change sets; nil where nothing is written.
  var fileBytes: Int?

  var median: Double { Self.median(seconds) }
  var perSecond: Double { Double(operations) / median }
  var nanosecondsEach: Double { median / Double(operations) * 1e9 }
  /// (slowest − fastest) / median.
  var spread: Double { ((seconds.max() ?? 0) - (seconds.min() ?? 0)) / median }

  /// The time that so large a part of the runs stays within.
  func percentile(_ part: Double) -> Double {
    let sorted = seconds.sorted()
    guard !sorted.isEmpty else { return .nan }
    return sorted[min(sorted.count - 1, Int((part * Double(sorted.count)).rounded(.up)) - 1)]
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  private enum CodingKeys: String, CodingKey {
    case name, unit, operations, seconds, fileBytes, medianSeconds, perSecond, nanosecondsEach, spread
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode(unit, forKey: .unit)
    try container.encode(operations, forKey: .operations)
    try container.encode(seconds, forKey: .seconds)
    try container.encodeIfPresent(fileBytes, forKey: .fileBytes)
    try container.encode(median, forKey: .medianSeconds)
    try container.encode(perSecond, forKey: .perSecond)
    try container.encode(nanosecondsEach, forKey: .nanosecondsEach)
    try container.encode(spread, forKey: .spread)
  }
}
