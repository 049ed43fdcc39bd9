import Foundation

/// Counts of hot paths that are kept in a file, and how far above them a run may be.
struct InstructionThresholds: Codable {
  /// Other compilers and C libraries count otherwise.
  var madeWith: String
  /// 0.05: a twentieth more is let pass. Record ids are random, so that hashed tables differ from run to run.
  var margin: Double
  var paths: [Callgrind.Count]
  /// Pages that small saves write.
  var saves: [SavedPages]

  static let fileName = "instructions.json"

  init(madeWith: String, margin: Double, paths: [Callgrind.Count], saves: [SavedPages]) {
    self.saves = saves
    self.madeWith = madeWith
    self.margin = margin
    self.paths = paths.map { path in
      Callgrind.Count(
        name: path.name, unit: path.unit, instructions: path.instructions.rounded(),
        allocations: (path.allocations * 100).rounded() / 100)
    }
  }

  /// A sentence for each save that writes more pages than it may, or is not the one that is kept.
  func findings(_ measured: [SavedPages]) -> [String] {
    let kept = Dictionary(saves.map { ($0.store, $0) }) { first, _ in first }
    return measured.compactMap { save in
      guard let least = kept[save.store] else { return "the pages of a save, store \(save.store), are not kept" }
      guard save.pages > least.pages * (1 + margin) else { return nil }
      let (new, old) = (String(format: "%.2f", save.pages), String(format: "%.2f", least.pages))
      return "a durable save of one record, store \(save.store), writes \(new) pages, where \(old) are kept"
    }
  }

  /// A sentence for each path that costs more than it may, or is not the one that is kept.
  func findings(_ counts: [Callgrind.Count]) -> [String] {
    let kept = Dictionary(paths.map { ($0.name, $0) }) { first, _ in first }
    let measured = Set(counts.map(\.name))
    let missing = paths.filter { !measured.contains($0.name) }.map { "'\($0.name)' is kept and was not measured" }
    return missing
      + counts.flatMap { count in
        guard let least = kept[count.name] else { return ["'\(count.name)' was measured and is not kept"] }
        return findings(count, least)
      }
  }

  private func findings(_ count: Callgrind.Count, _ kept: Callgrind.Count) -> [String] {
    // A hundredth of an allocation each is what a table that grows a little earlier makes.
    [
      ("instructions", count.instructions, kept.instructions, 0.5),
      ("allocations", count.allocations, kept.allocations, 0.02),
    ]
    .filter { _, new, old, grain in new > old * (1 + margin) + grain }
    .map { what, new, old, _ in
      let (new, old) = (String(format: "%.2f", new), String(format: "%.2f", old))
      return "'\(count.name)' takes \(new) \(what) a \(count.unit), where \(old) are kept"
    }
  }

  func lines(_ counts: [Callgrind.Count]) -> [String] {
    let kept = Dictionary(paths.map { ($0.name, $0) }) { first, _ in first }
    let head = Self.line("", ["instructions", "kept", "allocations", "kept"])
    return [head]
      + counts.map { count in
        let old = kept[count.name]
        return Self.line(
          "\(count.name), a \(count.unit)",
          [
            ComparisonTable.grouped(count.instructions), old.map { ComparisonTable.grouped($0.instructions) } ?? "–",
            String(format: "%.2f", count.allocations), old.map { String(format: "%.2f", $0.allocations) } ?? "–",
          ])
      }
  }

  private static func line(_ title: String, _ cells: [String]) -> String {
    title.padding(toLength: 56, withPad: " ", startingAt: 0)
      + cells.map { ComparisonTable.leading($0, 14) }.joined()
  }
}
