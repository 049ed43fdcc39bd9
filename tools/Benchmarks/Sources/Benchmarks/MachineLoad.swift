import Foundation

/// How busy the machine is with other programs.
enum MachineLoad {
  /// A sentence if more programs want to run than there are processors, which ends with what that does to the figures.
  static func warning(_ consequence: String) -> String? {
    var load = 0.0
    let processors = ProcessInfo.processInfo.activeProcessorCount
    guard getloadavg(&load, 1) == 1, load > Double(processors) else { return nil }
    return String(format: "the machine is busy (load %.0f on %d processors): ", load, processors)
      + consequence
  }
}
