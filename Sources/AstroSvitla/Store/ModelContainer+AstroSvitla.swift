public import Foundation
public import Tandem

extension ModelContainer {
  /// The app's container on a device, made if it is missing: the person's own unless a folder is given. Each call opens
  /// the store once more; an app keeps what it gets, best as an ``AstroSvitlaStore``.
  ///
  /// Throws what ``AstroSvitlaStore/init(device:access:)`` throws.
  public static func astroSvitlaShared(device: URL? = nil) throws -> ModelContainer {
    try AstroSvitlaStore(device: device).container
  }
}
