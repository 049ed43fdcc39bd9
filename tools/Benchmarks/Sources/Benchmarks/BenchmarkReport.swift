import Foundation

/// What one run of the benchmarks found, for programs.
struct BenchmarkReport: Encodable {
  var records: Int
  var changes: Int
  var runs: Int
  var comparisons: [Comparison] = []
  /// Nil where stores were not compared.
  var sizes: StoreSizes?
  /// Of our side alone.
  var measurements: [Measurement] = []
  /// What shall not be larger than something: memory, bytes of a change, latency.
  var ceilings: [Ceiling] = []
  /// Bytes of a change in the exchange folder, and in a change set of the session extension.
  var bytesPerChange: [Double]?
  /// The most memory of a process that inserts all records in one save.
  var peakBytes: Int?
  /// Of these, when the objects were made and not saved yet.
  var peakBytesBeforeSave: Int?
}
