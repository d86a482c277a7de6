import java.io.IOException;
import java.io.InputStream;
import java.util.*;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import org.apache.xbean.asm9.*;

/**
 * Looks up every method and field that the classes of a jar name (but Java's own), and every method that these classes
 * have to implement, in the jar and on the class path. Prints those that are missing, then how many were
 * looked up. A jar that is compiled against one version of Spark shows so whether it links with another.
 */
public final class LinkCheck {
  private static final int API = Opcodes.ASM9;

  /** A method or field as byte code names it. */
  private record Member(String owner, String name, String descriptor) {}

  /** What is read of a class: whom it extends, what it declares, and what its code names. */
  private static final class Facts extends ClassVisitor {
    final List<String> parents = new ArrayList<>();
    final Set<String> declared = new HashSet<>();
    final Set<String> abstractOnes = new HashSet<>();
    final Set<Member> named = new LinkedHashSet<>();
    String name;
    boolean isAbstract;

    Facts() {
      super(API);
    }

    @Override
    public void visit(int version, int access, String name, String generics, String parent, String[] interfaces) {
      this.name = name;
      isAbstract = (access & Opcodes.ACC_ABSTRACT) != 0;
      if (parent != null) parents.add(parent);
      parents.addAll(Arrays.asList(interfaces));
    }

    @Override
    public FieldVisitor visitField(int access, String name, String descriptor, String generics, Object value) {
      declared.add(name + descriptor);
      return null;
    }

    @Override
    public MethodVisitor visitMethod(int access, String name, String descriptor, String generics, String[] thrown) {
      boolean isOpen = (access & Opcodes.ACC_ABSTRACT) != 0;
      (isOpen ? abstractOnes : declared).add(name + descriptor);
      return new MethodVisitor(API) {
        @Override
        public void visitMethodInsn(int code, String owner, String name, String descriptor, boolean inInterface) {
          named.add(new Member(owner, name, descriptor));
        }

        @Override
        public void visitFieldInsn(int code, String owner, String name, String descriptor) {
          named.add(new Member(owner, name, descriptor));
        }

        @Override
        public void visitInvokeDynamicInsn(String name, String descriptor, Handle factory, Object... arguments) {
          for (Object argument : arguments)
            if (argument instanceof Handle h) named.add(new Member(h.getOwner(), h.getName(), h.getDesc()));
        }
      };
    }
  }

  private final Map<String, Optional<Facts>> known = new HashMap<>();

  private static Facts read(InputStream bytes) throws IOException {
    Facts facts = new Facts();
    new ClassReader(bytes).accept(facts, ClassReader.SKIP_DEBUG | ClassReader.SKIP_FRAMES);
    return facts;
  }

  private Optional<Facts> find(String name) {
    Optional<Facts> found = known.get(name);
    if (found == null) {
      try (InputStream bytes = ClassLoader.getSystemResourceAsStream(name + ".class")) {
        found = bytes == null ? Optional.empty() : Optional.of(read(bytes));
      } catch (IOException e) {
        throw new IllegalStateException(e);
      }
      known.put(name, found);
    }
    return found;
  }

  private boolean has(String owner, String member, boolean openToo) {
    return find(owner)
        .map(f -> f.declared.contains(member)
            || openToo && f.abstractOnes.contains(member)
            || f.parents.stream().anyMatch(parent -> has(parent, member, openToo)))
        .orElse(false);
  }

  private void collectAbstract(String name, Set<String> found) {
    find(name).ifPresent(facts -> {
      found.addAll(facts.abstractOnes);
      facts.parents.forEach(parent -> collectAbstract(parent, found));
    });
  }

  private static boolean isLookedUp(Member member) {
    return !member.owner().startsWith("java/") && !member.owner().startsWith("["); // an array's clone()
  }

  public static void main(String[] arguments) throws IOException {
    LinkCheck check = new LinkCheck();
    List<Facts> ours = new ArrayList<>();
    try (JarFile jar = new JarFile(arguments[0])) {
      for (JarEntry entry : Collections.list(jar.entries()))
        if (entry.getName().endsWith(".class")) ours.add(read(jar.getInputStream(entry)));
    }
    ours.forEach(facts -> check.known.put(facts.name, Optional.of(facts)));
    int count = 0;
    for (Facts facts : ours) {
      for (Member member : facts.named)
        if (isLookedUp(member)) {
          count++;
          if (!check.has(member.owner(), member.name() + member.descriptor(), true))
            System.out.println(facts.name + " names " + member.owner() + "." + member.name() + member.descriptor());
        }
      if (!facts.isAbstract) {
        Set<String> open = new TreeSet<>();
        check.collectAbstract(facts.name, open);
        count += open.size();
        for (String method : open)
          if (!check.has(facts.name, method, false))
            System.out.println(facts.name + " does not implement " + method);
      }
    }
    System.out.println(count + " looked up");
  }
}
