import Foundation
import LMDB

/// The processor cores that this process may use.
enum ProcessorCores {
  static var count: Int { ProcessInfo.processInfo.activeProcessorCount }

  /// Whether more threads want a core just now than there are; false where the system does not say.
  static var areContended: Bool {
    // "0.27 0.31 0.30 2/113 4711": two of 113 threads run or wait for a core, this one among them.
    let fields = SystemFile.lines(of: "/proc/loadavg").first?.split(separator: " ") ?? []
    guard fields.count > 3, let running = Int(fields[3].prefix { $0 != "/" }) else { return false }
    return running > count
  }
}
