import Foundation

/// Limits that the system sets a process.
enum Limits {
  static let cases = [
    EnvironmentCase(name: "a limit of file size") { stage in
      // The shell counts in blocks of 512 bytes. The signal that comes first ends a process that does not ignore it.
      for blocks in [256, 1024, 2048] {
        try refused(stage, limit: "-f \(blocks)", saves: 400, codes: ["inputOutput", "diskFull"], signal: SIGXFSZ)
        try refused(stage, limit: "-f \(blocks); trap '' XFSZ", saves: 400, codes: ["inputOutput", "diskFull"])
      }
    },
    EnvironmentCase(name: "a limit of descriptors") { stage in
      for count in [8, 12, 16, 24, 48] {
        try refused(stage, limit: "-n \(count)", codes: ["inputOutput"])
      }
    },
    EnvironmentCase(name: "a limit of address space") { stage in
      for megabytes in [200, 400, 1000, 20_000] {
        try refused(stage, limit: "-v \(megabytes << 10)", codes: ["inputOutput", "diskFull"])
      }
    },
  ]

  /// Either it goes on, or it is refused with a typed error, or the system's signal ends it; the store is whole.
  private static func refused(
    _ stage: EnvironmentStage, limit: String, saves: Int = 30, codes: [String], signal: Int32? = nil
  ) throws {
    let place = try stage.makeFolder("limit\(limit.filter { $0.isLetter || $0.isNumber })")
    try stage.createStore(in: place)
    let process = try stage.start(["fill", "\(saves)"], in: place, limit: limit)
    let lines = try process.lines(within: EnvironmentStage.limitSeconds)
    let end = try process.finish()
    // So little that not even the program can be loaded is no matter of stores.
    if lines.isEmpty, end != .exit(0), process.complaint.contains("shared object") { return }
    let allowed = codes.flatMap { ["store \($0)", "sync \($0)"] }
    let refusal = stage.refusal(in: lines) ?? failure(in: lines)
    if let refusal, !allowed.contains(refusal) { throw Finding("with \(limit): \(lines.last ?? "")") }
    guard end == .exit(0) || refusal != nil || signal.map({ end == .signal($0) }) ?? false else {
      throw Finding("with \(limit) it ended with \(end): \(process.trouble)")
    }
    try stage.audit(place, atLeast: max(5, stage.saved(in: lines)))
  }

  private static func failure(in lines: [String]) -> String? {
    lines.first { $0.hasPrefix("failed ") }.map {
      $0.split(separator: " ").dropFirst().prefix(2).joined(separator: " ")
    }
  }
}
