import Foundation

/// Runs the hot paths of this program under valgrind's callgrind, which counts instead of timing.
struct Callgrind {
  /// What one operation of a path costs, in all threads; not what the kernel does for it.
  struct Count: Codable {
    let name: String
    let unit: String
    let instructions: Double
    /// Calls of malloc and its kin.
    let allocations: Double
  }

  func run() throws -> [Count] {
    let bench = try Workbench(runs: 1)
    defer { BenchmarkCommand.remove(bench) }
    let program = bench.folder.appending(path: "program")
    // Valgrind does not understand all that Swift's compiler writes for debuggers, and gives up.
    try Command.output("strip", ["--strip-debug", "-o", program.path, try Self.ownPath()], package: "binutils")
    let output = try Command.output(
      "valgrind",
      [
        "--tool=callgrind", "--quiet", "--callgrind-out-file=" + bench.folder.appending(path: "counts").path,
        "--dump-before=hot_path_begins", "--dump-before=hot_path_ends", "--compress-strings=no",
        program.path, "--hot-paths",
      ], package: "valgrind",
      // The same places in hashed collections each time.
      environment: ["SWIFT_DETERMINISTIC_HASHING": "1"])
    let paths = output.split(separator: "\n").map { $0.split(separator: "\t") }
    // Before the first path, the first path, before the second one …
    return try paths.indices.map { index in
      guard paths[index].count == 3, let operations = Double(paths[index][2]) else {
        throw BenchmarkError("a hot path says '\(paths[index].joined(separator: " "))' of itself")
      }
      let dump = try CallgrindDump(bench.folder.appending(path: "counts.\(2 * index + 2)"))
      return Count(
        name: String(paths[index][0]), unit: String(paths[index][1]),
        instructions: Double(dump.instructions) / operations, allocations: Double(dump.allocations) / operations)
    }
  }

  /// What the counts depend on besides the sources.
  static func toolchain() throws -> String {
    let lines = [
      try Command.output("swift", ["--version"], package: "swift"),
      try Command.output("getconf", ["GNU_LIBC_VERSION"], package: "libc-bin"),
      try Command.output("valgrind", ["--version"], package: "valgrind"),
    ]
    return lines.map { $0.split(separator: "\n").joined(separator: ", ") }.joined(separator: ", ")
  }

  private static func ownPath() throws -> String {
    guard let path = Bundle.main.executablePath else { throw BenchmarkError("this program does not find itself") }
    return path
  }
}

/// What callgrind writes of one stretch: `totals: n`, and for each call a line `cfn=name` before `calls=n …`.
struct CallgrindDump {
  private(set) var instructions = 0
  private(set) var allocations = 0

  private static let allocators: Set<Substring> = [
    "malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc", "memalign",
  ]

  init(_ file: URL) throws {
    let text = String(decoding: try Data(contentsOf: file), as: UTF8.self)
    var isAllocator = false
    for line in text.split(separator: "\n") {
      if line.hasPrefix("cfn=") {
        // A number behind an apostrophe tells recursive calls apart.
        let name = line.dropFirst(4).prefix { $0 != "'" }
        isAllocator = Self.allocators.contains(name)
      } else if isAllocator, line.hasPrefix("calls=") {
        allocations += Int(line.dropFirst(6).prefix { $0.isNumber }) ?? 0
      } else if line.hasPrefix("totals:") {
        instructions = Int(line.dropFirst(7).filter(\.isNumber)) ?? 0
      }
    }
    guard instructions > 0 else { throw BenchmarkError("callgrind has counted nothing in \(file.path)") }
  }
}
