import Foundation

/// Places that can only be read.
enum ReadOnlyPlaces {
  static let cases = [
    EnvironmentCase(name: "a read-only mount") { stage in
      let store = try stage.makeFolder("store")
      try stage.createStore(in: store)
      try stage.mount(["--bind", store.path], on: "bound") { place in
        try stage.run("mount", "-o", "remount,bind,ro", place.path)
        try look(stage, place)
      }
    },
    EnvironmentCase(name: "a read-only medium") { stage in
      let image = try stage.makeDisk(megabytes: 16)
      try stage.mount(["-o", "loop", image], on: "disk") { try stage.createStore(in: $0) }
      try stage.mount(["-o", "loop,ro", image], on: "medium") { try look(stage, $0) }
    },
  ]

  private static func look(_ stage: EnvironmentStage, _ place: URL) throws {
    let lines = try stage.lines(of: stage.start(["look"], in: place))
    guard lines.first == "read 5" else { throw Finding("it said \(lines), not read 5") }
    try stage.expect(lines, refused: "store readOnlyFileSystem")
  }
}
