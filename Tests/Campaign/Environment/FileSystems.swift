import Foundation

/// Kinds of file systems.
enum FileSystems {
  static let cases = [
    EnvironmentCase(name: "an overlay") { stage in
      let (lower, upper, work) = (
        try stage.makeFolder("lower"), try stage.makeFolder("layers/upper"), try stage.makeFolder("layers/work")
      )
      try stage.createStore(in: lower)
      let options = "lowerdir=\(lower.path),upperdir=\(upper.path),workdir=\(work.path)"
      try stage.mount(["-t", "overlay", "-o", options, "overlay"], on: "merged") { place in
        // A reader of the lower layer's file, while the first writer copies that file up.
        let reader = try stage.start(["hold"], in: place)
        try reader.expect("holding")
        let lines = try stage.lines(of: stage.start(["write", "3", "30"], in: place))
        reader.closeInput()
        _ = try stage.lines(of: reader)
        try stage.audit(place, atLeast: stage.saved(in: lines, writer: 3), writer: 3)
      }
      try stage.audit(lower, atLeast: 5)
    },
    EnvironmentCase(name: "a network file system (played)") { stage in
      for kind in ["nfs4", "nfs", "cifs"] { try refuse(stage, kind) }
    },
    EnvironmentCase(name: "a FUSE file system (played)") { stage in
      for kind in ["fuse.sshfs", "fuse"] { try refuse(stage, kind) }
    },
    EnvironmentCase(name: "a FUSE file system") { stage in
      let program = stage.folder.appendingPathComponent("log-disk").path
      try FuseDisk.compile(to: program)
      let (place, image) = (try stage.makeFolder("fuse"), stage.folder.appendingPathComponent("image").path)
      try Data(count: 1 << 20).write(to: URL(fileURLWithPath: image))
      try FuseDisk.lend(program: program, at: place, image: image, log: nil) {
        let lines = try stage.lines(of: stage.start(["make"], in: place))
        try stage.expect(lines, refused: "store networkFileSystem")
      }
    },
  ]

  /// The table of mounts says that the folder is of another kind.
  private static func refuse(_ stage: EnvironmentStage, _ kind: String) throws {
    let place = try stage.makeFolder(kind)
    let table = stage.folder.appendingPathComponent("mounts-\(kind)")
    let text = """
      1 0 0:1 / / rw - ext4 /dev/root rw
      2 1 0:2 / \(place.path) rw - \(kind) server:/export rw

      """
    try Data(text.utf8).write(to: table)
    let lines = try stage.lines(of: stage.start(["make"], in: place, environment: ["CAMPAIGN_MOUNTS": table.path]))
    try stage.expect(lines, refused: "store networkFileSystem")
  }
}
