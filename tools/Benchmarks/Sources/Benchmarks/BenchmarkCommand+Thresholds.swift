import ArgumentParser
import Foundation

extension BenchmarkCommand {
  private var folder: ThresholdFolder { ThresholdFolder(url: URL(filePath: thresholds)) }

  /// Counts the hot paths, and the pages of small saves, and compares them with what is kept.
  func checkInstructions() throws {
    let name = InstructionThresholds.fileName
    if keep { try folder.prepare() }
    let kept =
      keep
      ? try folder.readIfThere(InstructionThresholds.self, name) : try folder.read(InstructionThresholds.self, name)
    let (counts, saves) = (try Callgrind().run(), try SavedPages.measureAll())
    let toolchain = try Callgrind.toolchain()
    let measured = InstructionThresholds(
      madeWith: toolchain, margin: kept?.margin ?? 0.05, paths: counts, saves: saves)
    if json {
      try Self.printJSON(measured)
    } else {
      ((kept ?? measured).lines(counts) + saves.flatMap(\.lines)).forEach { print($0) }
    }
    if keep { return try folder.write(measured, name) }
    guard let kept else { return }
    var notes = kept.findings(counts) + kept.findings(saves)
    if !notes.isEmpty, kept.madeWith != toolchain {
      notes.append("the thresholds were counted with \(kept.madeWith), this is \(toolchain): write them anew")
    }
    try Self.fail(notes)
  }

  /// Measures all ratios, with the sizes that stand beside the thresholds, and compares.
  func checkRatios() throws {
    let name = RatioThresholds.fileName
    if keep { try folder.prepare() }
    let kept = keep ? try folder.readIfThere(RatioThresholds.self, name) : try folder.read(RatioThresholds.self, name)
    var command = self
    command.only = Group.allCases.filter(\.hasRatios)
    if let kept, !keep { (command.records, command.changes, command.runs) = (kept.records, kept.changes, kept.runs) }
    let measuring = command
    // Ratios of such a run differ by several times.
    let consequence = "ratios measured now tell little, neither as thresholds nor beside them"
    if let warning = MachineLoad.warning(consequence) { Self.say(warning) }
    try Waiting.wait {
      let report = try await measuring.measureAll()
      if json { try Self.printJSON(report) }
      if keep { return try folder.write(RatioThresholds(margin: kept?.margin ?? 0.25, report: report), name) }
      // Measuring has said already that this peer is not there.
      let isThere = ObjectBoxLibrary(path: objectbox) != nil
      let held = isThere ? kept : kept?.without(ObjectBoxLibrary.peer)
      try Self.fail(held?.findings(report) ?? [])
    }
  }

  private static func fail(_ findings: [String]) throws {
    guard !findings.isEmpty else { return }
    findings.forEach(say)
    throw ExitCode.failure
  }

  static func say(_ sentence: String) {
    FileHandle.standardError.write(Data("tools/bench: \(sentence)\n".utf8))
  }
}
