import Foundation

/// One store by several paths.
enum Paths {
  static let cases = [
    EnvironmentCase(name: "a symbolic link to the store") { stage in
      let place = try stage.makeFolder("store")
      try stage.createStore(in: place)
      let link = stage.folder.appendingPathComponent("link").path
      try FileManager.default.createSymbolicLink(
        atPath: link, withDestinationPath: place.appendingPathComponent("first.store").path)
      try meet(stage, place, by: link)
    },
    EnvironmentCase(name: "a second mount of the store") { stage in
      let place = try stage.makeFolder("store")
      try stage.createStore(in: place)
      try stage.mount(["--bind", place.path], on: "bound") { bound in
        try meet(stage, place, by: bound.appendingPathComponent("first.store").path)
        try beside(stage, place, bound)
      }
    },
    EnvironmentCase(name: "a hard link to the data file") { stage in
      let place = try stage.makeFolder("store")
      try stage.createStore(in: place)
      let other = try stage.makeFolder("other").appendingPathComponent("first.store")
      try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
      try FileManager.default.linkItem(
        at: place.appendingPathComponent("first.store/data.mdb"), to: other.appendingPathComponent("data.mdb"))
      // Other locks: two processes by two paths would destroy it, so one process must see that it is one file.
      let process = try stage.start(["meet", other.path], in: place)
      let lines = try process.lines(within: EnvironmentStage.limitSeconds)
      try process.finish()
      if let last = lines.last, last.hasPrefix("failed "), !last.hasPrefix("failed store ") {
        throw Finding("a hard link: \(last)")
      }
      try stage.audit(place, atLeast: stage.saved(in: lines))
    },
  ]

  private static func meet(_ stage: EnvironmentStage, _ place: URL, by other: String) throws {
    let lines = try stage.lines(of: stage.start(["meet", other], in: place))
    try stage.audit(place, atLeast: stage.saved(in: lines))
  }

  /// Two processes, each by its own path.
  private static func beside(_ stage: EnvironmentStage, _ place: URL, _ bound: URL) throws {
    let first = try stage.start(["write", "3", "60"], in: place)
    let second = try stage.start(["write", "4", "60"], in: bound)
    let lines = try (stage.lines(of: first), stage.lines(of: second))
    try stage.audit(place, atLeast: stage.saved(in: lines.0, writer: 3), writer: 3)
    try stage.audit(place, atLeast: stage.saved(in: lines.1, writer: 4), writer: 4)
  }
}
