import Foundation

/// One side of a comparison: a name, and a body that does the work once and says how many seconds it took.
struct Contestant {
  let name: String
  /// How many times faster we want to be; nil for ourselves and for sides that are only shown.
  let target: Double?
  let run: (Int) throws -> Double

  init(_ name: String, target: Double? = nil, _ run: @escaping (Int) throws -> Double) {
    self.name = name
    self.target = target
    self.run = run
  }
}

/// What a side works on, made when it first is its turn: not for a comparison that was not named, nor for a side that
/// is left out. A million parents with their children take minutes.
final class Prepared<Value> {
  private let make: () throws -> Value
  private var value: Value?

  init(_ make: @escaping () throws -> Value) { self.make = make }

  func callAsFunction() throws -> Value {
    if let value { return value }
    let made = try make()
    value = made
    return made
  }
}

/// The same work done by several sides in turn, so that whatever else the machine does meets them all.
///
/// The first side is ours. A ratio is the median over the rounds of (their seconds / our seconds in that round): above
/// one we are faster.
struct Comparison: Encodable {
  struct Side: Encodable {
    let name: String
    let measurement: Measurement
    let ratio: Double
    let target: Double?
    let isReached: Bool?
  }

  let name: String
  /// Empty where the comparison was not asked for.
  let sides: [Side]

  /// `rounds` multiplies the rounds that were asked for, where one is over at once.
  /// One round more comes first and is thrown away, so that files and caches are warm.
  init(
    _ name: String, unit: String, operations: Int, bench: Workbench, rounds: Int = 1, contestants: [Contestant]
  ) throws {
    let runs = bench.runs * rounds
    let contestants = bench.seeks(name) ? Array(contestants.prefix(bench.isAlone ? 1 : contestants.count)) : []
    var seconds = contestants.map { _ in [Double]() }
    for run in -1..<runs {
      // The first side changes, so that none always finds the caches as the same other left them.
      for place in contestants.indices {
        let index = (place + max(run, 0)) % contestants.count
        let taken = try contestants[index].run(run)
        guard taken >= 0 else { throw BenchmarkError("\(contestants[index].name) failed at '\(name)'") }
        if run >= 0 { seconds[index].append(taken) }
      }
    }
    self.name = name
    sides = contestants.indices.map { index in
      let ratio = Measurement.median(zip(seconds[index], seconds[0]).map { $0 / $1 })
      let target = contestants[index].target
      return Side(
        name: contestants[index].name,
        measurement: Measurement(name: name, unit: unit, operations: operations, seconds: seconds[index]),
        ratio: ratio, target: target, isReached: target.map { ratio >= $0 })
    }
  }
}
