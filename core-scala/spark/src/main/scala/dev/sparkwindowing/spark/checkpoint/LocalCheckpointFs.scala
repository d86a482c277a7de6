package dev.sparkwindowing.spark.checkpoint

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.permission.FsPermission
import org.apache.hadoop.fs.{ChecksumFs, DelegateToFileSystem, FileStatus, FsServerDefaults, Path, RawLocalFileSystem}

import java.net.URI
import java.nio.file.Files
import java.nio.file.attribute.{PosixFileAttributeView, PosixFilePermissions}

/** The local file system for checkpoints, without processes.
  *
  * Without its native library, Hadoop starts a process to set the permissions of a file and to look whether it is a
  * link, about 55 in a micro-batch. This one asks the JVM. The files are the same, with the same checksums. Spark uses
  * it where it uses a `FileContext`, if [[LocalCheckpointFs.Setting]] names it; other file systems are not affected.
  */
final class LocalCheckpointFs(uri: URI, conf: Configuration) extends ChecksumFs(new RawLocalCheckpointFs(uri, conf))

object LocalCheckpointFs {

  /** Hadoop's setting for the class of the local file system of a `FileContext`. */
  val Setting = "spark.hadoop.fs.AbstractFileSystem.file.impl"
}

private final class RawLocalCheckpointFs(uri: URI, conf: Configuration)
    extends DelegateToFileSystem(uri, new LocalFilesInJvm, conf, "file", false) {
  override def getUriDefaultPort: Int                          = -1
  override def getServerDefaults(path: Path): FsServerDefaults = fsImpl.getServerDefaults(path)
  override def isValidName(name: String): Boolean              = true
}

private final class LocalFilesInJvm extends RawLocalFileSystem {

  override def setPermission(path: Path, permission: FsPermission): Unit = {
    val file = pathToFile(path).toPath
    val view = Files.getFileAttributeView(file, classOf[PosixFileAttributeView])
    if (view == null || permission.getStickyBit) super.setPermission(path, permission)
    else {
      val letters =
        permission.getUserAction.SYMBOL + permission.getGroupAction.SYMBOL + permission.getOtherAction.SYMBOL
      view.setPermissions(PosixFilePermissions.fromString(letters))
    }
  }

  override def getFileLinkStatus(path: Path): FileStatus =
    if (Files.isSymbolicLink(pathToFile(path).toPath)) super.getFileLinkStatus(path) else getFileStatus(path)
}
