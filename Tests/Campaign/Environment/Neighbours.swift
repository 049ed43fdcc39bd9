import Foundation

/// Other processes, and time.
enum Neighbours {
  static let cases = [
    EnvironmentCase(name: "two PID namespaces") { stage in try namespaces(stage) },
    EnvironmentCase(name: "126 readers and more") { stage in try readers(stage) },
    EnvironmentCase(name: "a fork") { stage in
      let place = try stage.makeFolder("store")
      try stage.createStore(in: place)
      let lines = try stage.lines(of: stage.start(["fork"], in: place))
      guard lines.contains(where: { $0.hasPrefix("child signal") }) else {
        throw Finding("a forked child used the store: \(lines)")
      }
      try stage.audit(place, atLeast: stage.saved(in: lines))
    },
    EnvironmentCase(name: "a program started beside") { stage in
      let place = try stage.makeFolder("store")
      try stage.createStore(in: place)
      let lines = try stage.lines(of: stage.start(["start"], in: place))
      try stage.audit(place, atLeast: stage.saved(in: lines))
      try stage.audit(place, atLeast: 5, writer: 3)
    },
    EnvironmentCase(name: "a clock that jumps") { stage in
      let place = try stage.makeFolder("store")
      try stage.createStore(in: place)
      let lines = try stage.lines(of: stage.start(["jump"], in: place))
      try stage.audit(place, atLeast: stage.saved(in: lines))
    },
  ]

  /// Both are process 1 of their own, as programs in two containers are.
  private static func namespaces(_ stage: EnvironmentStage) throws {
    let place = try stage.makeFolder("store")
    try stage.createStore(in: place)
    let prefix = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"]
    let probe = try Child(["/usr/bin/env"] + prefix + ["true"])
    guard try probe.finish() == .exit(0) else { throw EnvironmentCase.Skip("unshare --pid says: \(probe.trouble)") }
    func start(_ words: String...) throws -> Child {
      try Child(["/usr/bin/env"] + prefix + Command.work(words[0], place, stage.seed) + words.dropFirst())
    }
    for _ in 0..<3 {
      let (first, second, reader) = (try start("write", "3"), try start("write", "4"), try start("hold"))
      try reader.expect("holding")
      for process in [first, second] {
        try process.expect("working")
        for _ in 0..<6 {
          guard let line = try process.line(within: 20), !line.hasPrefix("failed") else {
            throw Finding("in a PID namespace: \(process.trouble)")
          }
        }
      }
      reader.kill()
      first.kill()
      second.closeInput()
      _ = try stage.lines(of: second)
      // What the dead have left does not stand in the way of the living.
      let next = try start("write", "3", "20")
      _ = try stage.lines(of: next)
    }
    try stage.audit(place, atLeast: 5)
  }

  private static func readers(_ stage: EnvironmentStage) throws {
    let place = try stage.makeFolder("store")
    try stage.createStore(in: place)
    let processes = try (0..<130).map { _ in try stage.start(["hold"], in: place) }
    for process in processes { try process.expect("holding") }
    let lines = try stage.lines(of: stage.start(["write", "3", "20"], in: place))
    for process in processes { process.closeInput() }
    for process in processes { _ = try stage.lines(of: process) }
    try stage.audit(place, atLeast: stage.saved(in: lines, writer: 3), writer: 3)
    let crowd = try stage.lines(of: stage.start(["crowd"], in: place))
    guard crowd.last?.hasPrefix("crowded") == true else { throw Finding("a crowd of readers: \(crowd)") }
  }
}
