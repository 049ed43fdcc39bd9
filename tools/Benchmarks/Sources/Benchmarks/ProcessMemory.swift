import Foundation

/// The kernel's notes of a process's memory.
enum ProcessMemory {
  /// A line of `/proc/self/status`: `VmRSS:` the pages that are resident, `VmHWM:` the most that were, `RssAnon:` those
  /// that are no file's.
  ///
  /// - Parameter process: its number; this process unless told.
  static func bytes(_ name: String, of process: String = "self") throws -> Int {
    let status = try String(contentsOf: URL(filePath: "/proc/\(process)/status"), encoding: .utf8)
    let line = status.split(separator: "\n").first { $0.hasPrefix(name) }
    guard let kilobytes = line?.split(separator: " ").compactMap({ Int($0) }).first else {
      throw BenchmarkError("the kernel does not tell how much memory was used")
    }
    return kilobytes << 10
  }
}
