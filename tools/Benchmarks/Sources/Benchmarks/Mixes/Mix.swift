/// What programs do in a while, as one figure: many operations of different kinds, which may be asynchronous. The first
/// side is ours.
struct Mix {
  struct Side {
    let name: String
    /// How many times faster we want to be; nil for ourselves.
    let target: Double?
    /// Does the work once and says how many seconds it took.
    let run: (Int) async throws -> Double

    init(_ name: String, target: Double? = nil, _ run: @escaping (Int) async throws -> Double) {
      (self.name, self.target, self.run) = (name, target, run)
    }
  }

  let name: String
  let unit: String
  let operations: Int
  let sides: [Side]

  /// The rounds take turns first; then their times are put side by side.
  func compare(_ bench: Workbench) async throws -> Comparison {
    let sides = bench.isAlone ? Array(sides.prefix(1)) : sides
    var seconds = sides.map { _ in [Double]() }
    for run in -1..<bench.runs {
      for place in sides.indices {
        let index = (place + max(run, 0)) % sides.count
        seconds[index].append(try await sides[index].run(run))
      }
    }
    return try Comparison(
      name, unit: unit, operations: operations, bench: bench,
      contestants: sides.indices.map { index in
        Contestant(sides[index].name, target: sides[index].target) { seconds[index][$0 + 1] }
      })
  }
}
