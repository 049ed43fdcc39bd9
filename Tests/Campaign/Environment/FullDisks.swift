import Foundation

/// Disks without room.
enum FullDisks {
  static let cases = [
    EnvironmentCase(name: "a full tmpfs") { stage in
      try stage.mount(["-t", "tmpfs", "-o", "size=4m", "tmpfs"], on: "disk") {
        try fill(stage, $0, ballastBytes: 3 << 20)
      }
    },
    EnvironmentCase(name: "a full ext4") { stage in
      try stage.mount(["-o", "loop", try stage.makeDisk(megabytes: 8)], on: "disk") {
        try fill(stage, $0, ballastBytes: 6 << 20)
      }
    },
    EnvironmentCase(name: "a full tmpfs at creation") { stage in
      try stage.mount(["-t", "tmpfs", "-o", "size=20k", "tmpfs"], on: "disk") { place in
        try stage.expect(try stage.lines(of: stage.start(["make"], in: place)), refused: "store diskFull")
      }
    },
  ]

  /// Saves are refused with the truth while there is no room, all earlier ones are kept, and later there is room again.
  private static func fill(_ stage: EnvironmentStage, _ place: URL, ballastBytes: Int) throws {
    let ballast = place.appendingPathComponent("ballast")
    try Data(count: ballastBytes).write(to: ballast)
    try stage.createStore(in: place)
    var last: Int64 = 0
    for _ in 0..<2 {
      let lines = try stage.lines(of: stage.start(["fill", "100000"], in: place))
      try stage.expect(lines, refused: "store diskFull")
      last = max(last, stage.saved(in: lines))
      guard lines.last == "read \(last)" || last == 0 else {
        throw Finding("after save \(last) it said \(lines.last ?? "nothing")")
      }
    }
    try FileManager.default.removeItem(at: ballast)
    try stage.audit(place, atLeast: last)
  }
}
