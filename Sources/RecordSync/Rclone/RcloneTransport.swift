public import Foundation
import RecordStore

/// Any place that the program rclone reaches, as a transport: WebDAV, SFTP, S3, Google Drive, Dropbox and some seventy
/// more.
///
/// ```swift
/// var options = RcloneTransport.Options()
/// options.environment = ["RCLONE_CONFIG": "/etc/tandem/rclone.conf"]
/// let transport = try RcloneTransport("backup:tandem", options: options)
/// let report = try await DeviceSync().synchronize(device, transport: transport)
/// ```
/// The person sets the place up once with `rclone config`. One program runs for each call: `rclone lsjson`,
/// `rclone copy` in either direction with a list of files, `rclone delete` with one. Nothing is renamed or locked
/// there, and no state is kept. Needs rclone 1.55 or later in `PATH`. Asks nobody anything: a configuration with a
/// password takes it from `RCLONE_CONFIG_PASS` or `RCLONE_PASSWORD_COMMAND`. Safe to use from any thread.
public struct RcloneTransport: ExchangeTransport {
  /// The settings of a transport by rclone.
  public struct Options: Sendable {
    /// The program's file; nil: `rclone` in `PATH`.
    public var program: URL?
    /// Added to the environment of the program, such as `RCLONE_CONFIG`.
    public var environment: [String: String] = [:]
    /// How long the program may run without any sign that it comes further.
    public var patienceSeconds = 600.0
    /// Called on any thread with the bytes that were moved, and those that a call is to move.
    public var progress: (@Sendable (_ moved: Int, _ total: Int) -> Void)?
    /// The defaults.
    public init() {}
  }

  private let remote: RcloneRemote
  private let options: Options

  /// The remote without parameters that may be secrets.
  public var name: String { remote.name }

  /// Takes `NAME:path`, as rclone writes it. Nothing is asked yet.
  ///
  /// - Throws: ``SyncError`` `unknownPlace` for what is no remote, such as a path of this machine.
  public init(_ remote: String, options: Options = Options()) throws {
    self.remote = try RcloneRemote(remote)
    self.options = options
  }

  /// Runs `rclone lsjson` once; nil where rclone says that the place is not there.
  ///
  /// - Throws: ``SyncError`` `transportFailed`.
  public func list() async throws -> [TransportFile]? {
    let outcome = try await run(
      ["lsjson", "--recursive", "--files-only", "--no-modtime", "--no-mimetype", "--fast-list"], [remote.text])
    if outcome.status == .directoryNotFound { return nil }
    try check(outcome, "list \(name)")
    do {
      return try JSONDecoder().decode([ListedFile].self, from: outcome.output).map {
        TransportFile(path: $0.path, byteCount: $0.byteCount)
      }
    } catch {
      throw SyncError(
        .transportFailed, "rclone's list of \(name) cannot be read; update rclone to 1.55 or later", cause: error)
    }
  }

  /// Runs `rclone copy` once.
  ///
  /// - Throws: ``SyncError`` `transportFailed`; some files may have been brought.
  public func get(_ paths: [String], into folder: URL) async throws {
    try await copy(paths, [remote.text, folder.path], "fetch files from \(name)")
  }

  /// Runs `rclone copy` once. A file that is there with the same length is left as it is.
  ///
  /// - Throws: ``SyncError`` `transportFailed`; some files may have been brought.
  public func put(_ paths: [String], from folder: URL) async throws {
    try await copy(paths, [folder.path, remote.text], "bring files to \(name)")
  }

  /// Runs `rclone delete` once.
  ///
  /// - Throws: ``SyncError`` `transportFailed`; some files may be gone.
  public func remove(_ paths: [String]) async throws {
    let outcome = try await run(["delete"], [remote.text], files: paths)
    try check(outcome, "remove files from \(name)")
  }

  /// Names the files, so that rclone asks for these alone and lists nothing.
  private func copy(_ paths: [String], _ places: [String], _ action: String) async throws {
    let outcome = try await run(["copy", "--size-only", "--no-traverse"], places, files: paths)
    try check(outcome, action)
  }

  private func check(_ outcome: RcloneOutcome, _ action: String) throws {
    guard let failure = RcloneFailure(outcome, remote) else { return }
    throw failure.error(action)
  }

  private func run(_ command: [String], _ places: [String], files: [String]? = nil) async throws -> RcloneOutcome {
    let program = RcloneProgram(try options.program ?? RcloneProgram.find(options.environment), options)
    guard let files else { return try await program.run(command, places) }
    let list = FileManager.default.temporaryDirectory.appending(path: "tandem-rclone-\(UUID().uuidString)")
    try DurableFile.publish(
      Array(files.map { $0 + "\n" }.joined().utf8), named: list.lastPathComponent,
      in: list.deletingLastPathComponent(), sharing: .secret)
    do {
      let outcome = try await program.run(command + ["--files-from-raw", list.path], places)
      try DurableFile.remove(list)
      return outcome
    } catch {
      try DurableFile.remove(list)
      throw error
    }
  }

  /// An entry of `lsjson`.
  private struct ListedFile: Decodable {
    private enum CodingKeys: String, CodingKey {
      case path = "Path"
      case byteCount = "Size"
    }
    var path: String
    var byteCount: Int
  }
}
