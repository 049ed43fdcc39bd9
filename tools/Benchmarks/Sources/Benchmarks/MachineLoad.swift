import Foundation

/// How busy the machine is with other programs.
enum MachineLoad {
  /// A sentence if more programs want to run than there are processors: ratios of such a run differ by several times.
  static func warning() -> String? {
    var load = 0.0
    let processors = ProcessInfo.processInfo.activeProcessorCount
    guard getloadavg(&load, 1) == 1, load > Double(processors) else { return nil }
    return String(format: "the machine is busy (load %.0f on %d processors): ", load, processors)
      + "ratios measured now tell little, neither as thresholds nor beside them"
  }
}
