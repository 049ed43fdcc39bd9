import ArgumentParser
import AstroSvitla
import Foundation

/// Which device's store.
struct DeviceOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The folder that stands for the device.",
      discussion: "Default: $TANDEM_CONTAINER_ROOT, else the person's own data folder.", valueName: "folder"))
  var device: String?

  private var url: URL? { device.map { URL(filePath: $0, directoryHint: .isDirectory) } }

  func store(_ access: AstroSvitlaStore.Access) throws -> AstroSvitlaStore {
    try AstroSvitlaStore(device: url, access: access)
  }

  /// The device's name in the App Store: that of its folder.
  var name: String { url?.standardizedFileURL.lastPathComponent ?? "this device" }
}
