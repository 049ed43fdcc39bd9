import CPeers
import Foundation

/// One kind of work on a fixed input, whose instructions are counted.
struct HotPath {
  let name: String
  /// What one operation is: a record, a read, a save.
  let unit: String
  let operations: Int
  /// Makes ready what the work begins with, and gives the work. Whatever the work captures lives on when it is done:
  /// what it takes to give objects back is not counted.
  let prepare: () throws -> () throws -> Void

  init(_ name: String, unit: String, operations: Int, prepare: @escaping () throws -> () throws -> Void) {
    self.name = name
    self.unit = unit
    self.operations = operations
    self.prepare = prepare
  }

  /// Does the work between the marks that callgrind knows. Once before without, so that whatever is done at a first
  /// time (metadata, plans, key paths) is not counted.
  func run() throws {
    try prepare()()
    let work = try prepare()
    try withExtendedLifetime(work) {
      hot_path_begins()
      defer { hot_path_ends() }
      try work()
    }
  }
}

/// The process that callgrind counts: says of each path what it is, in the order of the counts.
struct HotPathRun {
  func run() throws {
    let bench = try Workbench(runs: 1)
    defer { BenchmarkCommand.remove(bench) }
    for path in HotPaths(bench: bench).all {
      try path.run()
      print([path.name, path.unit, "\(path.operations)"].joined(separator: "\t"))
    }
  }
}
